"""Train a model and write a run folder. Without any option: the English-German phrasebook, a minute."""

import argparse
import math
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from .. import datasets, runs
from ..runs.recipe import TRAINING, model_settings, recipes
from ..runs.settings import FILES, TrainingSettings
from ..runs.training_run import Run, Update
from ..tasks import Batches, TextChunks
from ..utils import import_optional, settings_of
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import Parser, add_settings, file_name
from .standard_streams import print_error, report_warnings

COMMON = "dataset src tgt train text recipe run resume epochs batch_tokens workers seed help help_all".split()
N_EXAMPLES = 10  # held-out examples printed at the end


def add_options(parser, *, describe_all: bool = False) -> None:
    """Add all settings as options; the help has only the common ones, or all."""
    known = settings_of(TrainingSettings)
    parser.usage = "npformer train [DATASET] [options]"
    what, names = parser.add_argument_group("what to train on"), list(datasets.table())
    what.add_argument("dataset", nargs="?", choices=names, metavar="DATASET", help=", ".join(names))
    add_settings(what, known, ["direction", *FILES])
    how = parser.add_argument_group("how", f"Recipes replace defaults: {', '.join(recipes())}.")
    add_settings(how, known, ["recipe"])
    resume = "continue a stopped run, or train it for more --epochs"
    for option, text in {
        "--run": "the run folder to make (default: a new one in runs/)",
        "--resume": resume,
    }.items():
        how.add_argument(
            option, type=file_name, default=argparse.SUPPRESS, metavar="DIR", help=text
        )
    how.add_argument("--help-all", action="store_true", help="show all options and exit")
    add_settings(parser.add_argument_group("model"), model_settings())
    add_settings(parser.add_argument_group("training"), TRAINING)
    for action in parser._actions:
        if not describe_all and action.dest not in COMMON:
            action.help = argparse.SUPPRESS


def run(options) -> int:
    """Train as the command line asks; return the exit status."""
    arguments = {
        name: value for name, value in vars(options).items() if (name, value) != ("dataset", None)
    }
    if arguments.pop("help_all"):
        parser = Parser(prog="npformer train", description=__doc__)
        add_options(parser, describe_all=True)
        parser.print_help()
        return 0
    keep_freed_memory()
    if "resume" in arguments:
        run = runs.resume(arguments.pop("resume"), **arguments)
    else:
        run = runs.begin(
            arguments.pop("dataset", None), folder=arguments.pop("run", None), **arguments
        )
    for warning in run.warnings:
        print_error(warning)
    print(describe(run), flush=True)
    stopped_by = _train(run)
    if not stopped_by:
        try:
            _finish(run)
            return 0
        except KeyboardInterrupt:
            stopped_by = signal.SIGINT
    print(f"\nstopped and saved after update {run.trainer.optimizer.steps}; continue with")
    print(f"  {shlex.join(['npformer', 'train', '--resume', str(run.folder.path)])}", flush=True)
    return 128 + stopped_by


def _train(run: Run) -> int:
    """Train to the end and return 0, or to the first signal to stop, save, and return its number."""
    with _note_signals() as received, progress_bar(run) as bar:
        for update in run.updates():
            if received:
                run.save()
                break
            show(update, run, bar)
        return received[0] if received else 0


@contextmanager
def _note_signals() -> Iterator[list[int]]:
    """Yield a list to which SIGINT (Ctrl-C), SIGTERM and SIGHUP are added; after one of them Ctrl-C ends at once."""
    received = []

    def note(number, frame):
        received.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    numbers = [
        getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
    ]
    handlers = {number: signal.getsignal(number) for number in numbers}
    handlers = {
        number: handler
        for number, handler in handlers.items()
        if handler not in (signal.SIG_IGN, None)
    }
    try:
        for number in handlers:  # not those that are ignored, as under nohup
            signal.signal(number, note)
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _finish(run: Run) -> None:
    """Print what the model predicts for held-out examples, and its scores; draw the learning curve."""
    if run.communicator.rank > 0:
        return
    evaluation = run.evaluate()
    if text := evaluation.examples(N_EXAMPLES):
        print(f"\n{text}")
    print(f"\n{evaluation.table()}\n")
    verb, example = run.task.verb, run.example()
    ends_options = ["--"] if example.startswith("-") else []
    print(
        f"{verb} with  {shlex.join(['npformer', verb, str(run.folder.path), *ends_options, example])}",
        flush=True,
    )
    with report_warnings():
        run.draw()


def describe(run: Run) -> str:
    """Say in a few lines what will be trained on what."""
    c, sides, n_parameters = (
        run.config,
        dict(run.vocabularies),
        sum(p.data.size for p in run.model.parameters()),
    )
    left_out = f", {run.left_out} left out (empty, or too long)" if run.left_out else ""
    classes = f" in {len(sides.pop('label'))} classes" if "label" in sides else ""
    n_held_out = n_examples(run.validation)
    examples = f"{n_examples(run.trainer.batches):,} {run.task.examples}{left_out}; {n_held_out:,} held out{classes}"
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
        n, more = (
            len(run.log.held_out_losses()),
            " or a longer --patience" if run.settings.patience else "",
        )
        lines.append(
            f"done    after {n} epoch{'s'[: n != 1]}: give more --epochs{more} to train on"
        )
    return "\n".join(lines)


def n_examples(batches: Batches | TextChunks) -> int:
    """Return the number of examples, or of the tokens of a text."""
    return len(batches.ids) if isinstance(batches, TextChunks) else len(batches.examples)


def progress_bar(run: Run):
    """Return a bar over all updates of a run, those before it was resumed included."""
    trainer = run.trainer
    per_epoch = math.ceil(len(trainer.batches.epoch(trainer.epoch)) / trainer.accumulate)
    left = (
        run.settings.epochs + 1 - trainer.epoch
    ) * per_epoch - trainer.batches_done // trainer.accumulate
    done = trainer.optimizer.steps
    tqdm = import_optional("tqdm", "npformer").tqdm
    tqdm.monitor_interval = 0  # its thread would keep workers from being processes
    return tqdm(
        initial=done, total=done + max(left, 0), unit="step", disable=None, dynamic_ncols=True
    )


def show(update: Update, run: Run, bar) -> None:
    """Move the bar by an update, and print a line where an epoch ends."""
    speed = f"{update.tokens_per_second:,.0f} {run.task.counted}s/s"
    bar.set_description(f"epoch {update.epoch}", refresh=False)
    bar.set_postfix_str(
        f"loss {update.loss:.3f}, lr {update.learning_rate:.1e}, {speed}", refresh=False
    )
    bar.update()
    if update.ends_epoch:
        losses = f"loss {run.log.training_loss(update.epoch):.3f}   held-out loss {update.held_out_loss:.3f}"
        if update.held_out_accuracy is not None:
            losses += f"   accuracy {100 * update.held_out_accuracy:.1f}%"
        with bar.external_write_mode():
            print(
                f"epoch {update.epoch:3d}   {losses}   {speed}   {update.seconds:.0f} s", flush=True
            )
