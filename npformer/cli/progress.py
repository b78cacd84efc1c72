"""What a training says at its beginning, on its way, with the bar that it moves, and of its translations at the end."""

import math

from ..base import require
from ..evaluation import Evaluation
from ..runs.run import Run, Update
from .lines import one_line


def describe(run: Run) -> str:
    """Say in a few lines what will be trained on what."""
    batches, c = run.trainer.batches, run.config
    n_parameters = sum(p.data.size for p in run.model.parameters())
    left_out = f", {run.left_out} left out (an empty side, or too long)" if run.left_out else ""
    lines = [
        f"data    {len(batches.examples):,} sentence pairs{left_out}; {len(run.held_out):,} held out",
        f"tokens  {len(run.source):,} source and {len(run.target):,} target "
        f"{run.source.unit}; {100 * batches.epoch(run.trainer.epoch).padding_share:.1f} % padding in the batches",
        f"model   {c.n_encoder_layers}+{c.n_decoder_layers} layers, d_model {c.d_model}, d_ff {c.d_ff}, "
        f"{c.n_heads} heads, {n_parameters:,} parameters",
        f"folder  {run.folder.path}",
    ]
    return "\n".join(lines)


def progress_bar(run: Run):
    """Return a bar over all updates of a run, those of earlier sittings included."""
    # Every epoch has as many updates as this one; with subword dropout about as many.
    trainer = run.trainer
    updates = math.ceil(len(trainer.batches.epoch(trainer.epoch)) / trainer.accumulate)
    left = (run.settings.epochs + 1 - trainer.epoch) * updates - trainer.batch // trainer.accumulate
    done = trainer.optimizer.steps
    tqdm = require("tqdm", "npformer").tqdm
    return tqdm(initial=done, total=done + max(left, 0), unit="step", disable=None, dynamic_ncols=True)


def show(update: Update, run: Run, bar) -> None:
    """Move the bar by an update, and print a line where an epoch ends."""
    speed = f"{update.tokens_per_second:,.0f} tokens/s"
    bar.set_description(f"epoch {update.epoch}", refresh=False)
    bar.set_postfix_str(f"loss {update.loss:.3f}, lr {update.learning_rate:.1e}, {speed}", refresh=False)
    bar.update()
    if update.ends_epoch:
        losses = f"loss {run.log.training_loss(update.epoch):.3f}   held-out loss {update.held_out_loss:.3f}"
        with bar.external_write_mode():
            print(f"epoch {update.epoch:3d}   {losses}   {speed}   {update.seconds:.0f} s", flush=True)


def examples(evaluation: Evaluation, number: int) -> str:
    """Return the first translations, a line each for source, output and reference, whatever characters are in them."""
    groups = []
    shown = zip(evaluation.pairs[:number], evaluation.translations, evaluation.equal, strict=False)
    for pair, translation, equal in shown:
        source, output, reference = map(one_line, (pair.source, translation, pair.target))
        mark = " " if equal else "*"
        groups.append(f"  source     {source}\n{mark} output     {output}\n  reference  {reference}\n")
    return "\n".join(groups).rstrip("\n")
