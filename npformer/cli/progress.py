"""What a training prints at its beginning and after each epoch, and the bar that it moves."""

import math

from ..runs.run import Run, Update
from ..utils import import_optional


def describe(run: Run) -> str:
    """Say in a few lines what will be trained on what."""
    c, sides, n_parameters = run.config, dict(run.vocabularies), sum(p.data.size for p in run.model.parameters())
    left_out = f", {run.left_out} left out (empty, or too long)" if run.left_out else ""
    classes = f" in {len(sides.pop('label'))} classes" if "label" in sides else ""
    examples = f"{len(run.trainer.batches):,} {run.task.examples}{left_out}; {len(run.validation):,} held out{classes}"
    tokens = " and ".join(f"{len(vocabulary):,} {side}" for side, vocabulary in sides.items())
    unit = next(iter(sides.values())).unit
    padding = 100 * run.trainer.batches.epoch(run.trainer.epoch).padding_share
    depths = [getattr(c, f"n_{stack}_layers", None) for stack in ("encoder", "decoder")]
    layers = "+".join(str(depth) for depth in depths if depth)
    widths = f"d_model {c.d_model}, d_ff {c.d_ff}, {c.n_heads} heads"
    lines = [
        f"data    {examples}",
        f"tokens  {tokens} {unit}; {padding:.1f}% padding in the batches",
        f"model   {layers} layer{'s'[: layers != '1']}, {widths}, {n_parameters:,} parameters",
        f"folder  {run.folder.path}",
    ]
    if run.done:
        n, more = len(run.log.held_out_losses()), " or a longer --patience" if run.settings.patience else ""
        lines.append(f"done    after {n} epoch{'s'[: n != 1]}: give more --epochs{more} to train on")
    return "\n".join(lines)


def progress_bar(run: Run):
    """Return a bar over all updates of a run, those before it was resumed included."""
    trainer = run.trainer
    per_epoch = math.ceil(len(trainer.batches.epoch(trainer.epoch)) / trainer.accumulate)  # about, with BPE-dropout
    left = (run.settings.epochs + 1 - trainer.epoch) * per_epoch - trainer.batches_done // trainer.accumulate
    done = trainer.optimizer.steps
    tqdm = import_optional("tqdm", "npformer").tqdm
    tqdm.monitor_interval = 0  # its thread would keep workers from being processes
    return tqdm(initial=done, total=done + max(left, 0), unit="step", disable=None, dynamic_ncols=True)


def show(update: Update, run: Run, bar) -> None:
    """Move the bar by an update, and print a line where an epoch ends."""
    speed = f"{update.tokens_per_second:,.0f} {run.task.counted}s/s"
    bar.set_description(f"epoch {update.epoch}", refresh=False)
    bar.set_postfix_str(f"loss {update.loss:.3f}, lr {update.learning_rate:.1e}, {speed}", refresh=False)
    bar.update()
    if update.ends_epoch:
        losses = f"loss {run.log.training_loss(update.epoch):.3f}   held-out loss {update.held_out_loss:.3f}"
        if update.held_out_accuracy is not None:
            losses += f"   accuracy {100 * update.held_out_accuracy:.1f}%"
        with bar.external_write_mode():
            print(f"epoch {update.epoch:3d}   {losses}   {speed}   {update.seconds:.0f} s", flush=True)
