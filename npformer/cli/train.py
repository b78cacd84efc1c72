"""Train a model and write a run folder. Without any option: the English-German phrasebook, a minute."""

import argparse
import shlex
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from .. import datasets, runs
from ..runs.recipe import TRAINING, model_settings, recipes
from ..runs.run import Run
from ..runs.settings import FILES, TrainingSettings
from ..utils import settings_of
from ..utils.malloc import keep_freed_memory
from .options import Parser, add_settings, file_name
from .output import print_error, report_warnings
from .progress import describe, progress_bar, show

COMMON = "dataset src tgt train text recipe run resume epochs batch_tokens workers seed help help_all".split()
SHOWN = 10  # held-out examples printed at the end


def add_options(parser, *, describe_all: bool = False) -> None:
    """Add all settings as options; the help has only the common ones, or all."""
    known = settings_of(TrainingSettings)
    what = parser.add_argument_group("what to train on")
    names, of_data_set = list(datasets.table()), "a data set by its name (default phrasebook)"
    what.add_argument("dataset", nargs="?", choices=names, metavar="DATASET", help=f"{of_data_set}: {', '.join(names)}")
    add_settings(what, known, ["direction", *FILES])
    how = parser.add_argument_group("how", f"Recipes are {', '.join(recipes())}. They and data sets replace defaults.")
    add_settings(how, known, ["recipe"])
    resume = "continue a run that was stopped, or train it for more --epochs"
    for option, text in {"--run": "the run folder to make (default: a new one in runs/)", "--resume": resume}.items():
        how.add_argument(option, type=file_name, default=argparse.SUPPRESS, metavar="DIR", help=text)
    how.add_argument("--help-all", action="store_true", help="show all options and exit")
    add_settings(parser.add_argument_group("model"), model_settings())
    add_settings(parser.add_argument_group("training"), TRAINING)
    for action in parser._actions:
        if not describe_all and action.dest not in COMMON:
            action.help = argparse.SUPPRESS


def run(options) -> int:
    """Train as the command line asks; return the exit status."""
    given = {name: value for name, value in vars(options).items() if (name, value) != ("dataset", None)}
    if given.pop("help_all"):
        parser = Parser(prog="npformer train", description=__doc__)
        add_options(parser, describe_all=True)
        parser.print_help()
        return 0
    keep_freed_memory()
    if "resume" in given:
        training = runs.resume(given.pop("resume"), **given)
    else:
        training = runs.begin(given.pop("dataset", None), folder=given.pop("run", None), **given)
    for warning in training.warnings:
        print_error(warning)
    print(describe(training), flush=True)
    stopped_by = _train(training)
    if not stopped_by:
        try:
            _finish(training)
            return 0
        except KeyboardInterrupt:
            stopped_by = signal.SIGINT
    print(f"\nstopped and saved after update {training.trainer.optimizer.steps}; continue with")
    print(f"  {shlex.join(['npformer', 'train', '--resume', str(training.folder.path)])}", flush=True)
    return 128 + stopped_by


def _train(training: Run) -> int:
    """Train to the end and return 0, or to the first signal to stop, save, and return its number."""
    with _note_signals() as received, progress_bar(training) as bar:
        for update in training.updates():
            if received:
                training.save()
                break
            show(update, training, bar)
        return received[0] if received else 0


@contextmanager
def _note_signals() -> Iterator[list[int]]:
    """Yield a list to which SIGINT (Ctrl-C), SIGTERM and SIGHUP are added; after one of them Ctrl-C ends at once."""
    received = []

    def note(number, frame):
        received.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    handlers = {number: handler for number, handler in handlers.items() if handler not in (signal.SIG_IGN, None)}
    try:
        for number in handlers:  # not those that are ignored, as under nohup
            signal.signal(number, note)
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _finish(training: Run) -> None:
    """Print what the model predicts for held-out examples, and its scores; draw the learning curve."""
    if training.communicator.rank > 0:
        return
    evaluation = training.evaluate()
    if shown := evaluation.examples(SHOWN):
        print(f"\n{shown}")
    print(f"\n{evaluation.table()}\n")
    verb, example = training.task.verb, training.example()
    ends_options = ["--"] if example.startswith("-") else []
    print(
        f"{verb} with  {shlex.join(['npformer', verb, str(training.folder.path), *ends_options, example])}", flush=True
    )
    with report_warnings():
        training.draw()
