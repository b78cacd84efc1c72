"""Train a model and write a run folder. Without any option: the English-German phrasebook, a minute."""

import argparse
import re
import shlex
import signal
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial

from .. import datasets, runs
from ..runs.recipe import TRAINING, model_settings, read_recipe, recipes
from ..runs.run import Run
from ..runs.settings import CHANGEABLE, FILES, TrainingSettings
from ..utils import InputError, settings_of
from ..utils.malloc import keep_freed_memory
from .options import add_settings, file_name
from .output import print_error, report_warnings
from .progress import describe, progress_bar, show
from .signals import signals_noted

OF_DATA_SET = ("recipe", "unit", "lowercase")  # settings that a data set may bring
COMMON = "dataset src tgt train text recipe run resume epochs batch_tokens workers seed help".split()  # in --help
SHOWN = 10  # held-out examples printed at the end


def add_options(parser) -> None:
    """Add what may be said: all settings."""
    what = parser.add_argument_group("what to train on")
    names, of_data_set = list(datasets.table()), "a data set by its name (default phrasebook)"
    what.add_argument("dataset", nargs="?", choices=names, metavar="DATASET", help=f"{of_data_set}: {', '.join(names)}")
    add_settings(what, settings_of(TrainingSettings), ["direction", *FILES])
    chosen = by_recipe()
    how = parser.add_argument_group("how", f"Recipes are {', '.join(recipes())}. They replace defaults.")
    add_settings(how, settings_of(TrainingSettings), ["recipe"], by_recipe=chosen)
    resume = "continue a run that was stopped, or train it for more --epochs"
    for option, text in {"--run": "the run folder to make (default: a new one in runs/)", "--resume": resume}.items():
        how.add_argument(option, type=file_name, default=argparse.SUPPRESS, metavar="DIR", help=text)
    add_settings(parser.add_argument_group("model"), model_settings(), by_recipe=chosen)
    add_settings(parser.add_argument_group("training"), TRAINING, by_recipe=chosen)
    _hide_rare_options(parser)


class _HelpAll(argparse.Action):
    """Print the help of all options and exit."""

    def __call__(self, parser, namespace, values, option_string=None):
        for action, text in self.const.items():
            action.help = text
        parser.print_help()
        parser.exit()


def _hide_rare_options(parser) -> None:
    """Show the common options alone in --help, with short defaults, and all of them in --help-all."""
    whole = {action: action.help for action in parser._actions}
    for action, text in whole.items():
        action.help = re.sub(r"(default [^;)]*);[^)]*", r"\1", text)
        if action.dest not in COMMON:
            action.help = argparse.SUPPRESS
    parser.add_argument(
        "--help-all", action=_HelpAll, nargs=0, const=whole, default=argparse.SUPPRESS, help="show all options and exit"
    )


def by_recipe() -> dict[str, str]:
    """Return, for each setting whose default the recipe or the data set replaces, in words by which and by what."""
    found, known = defaultdict(dict), settings_of(TrainingSettings) | model_settings()
    replaced = [(name, read_recipe(name)) for name in recipes()]
    replaced += [(data.name, {name: getattr(data, name) for name in OF_DATA_SET}) for data in datasets.table().values()]
    for name, values in replaced:
        for setting, value in values.items():
            if value not in (None, known[setting].default):
                found[setting][name] = value  # once where recipe and data set have one name
    return {setting: ", ".join(f"{name}: {value}" for name, value in by.items()) for setting, by in found.items()}


def run(options) -> int:
    """Train as the command line asks; return the exit status."""
    keep_freed_memory()
    given = {name: value for name, value in vars(options).items() if (name, value) != ("dataset", None)}
    training = _begin_or_resume(given)
    for warning in training.warnings:
        print_error(warning)
    print(describe(training), flush=True)
    stopped_by = trained(training)
    if not stopped_by:
        with suppress(KeyboardInterrupt):
            finish(training)
            return 0
        stopped_by = signal.SIGINT
    with suppress(OSError):
        print(f"\nstopped and saved after update {training.trainer.optimizer.steps}; continue with")
        print(f"  {shlex.join(['npformer', 'train', '--resume', str(training.folder.path)])}", flush=True)
    return 128 + stopped_by


def _begin_or_resume(options: dict) -> Run:
    """Begin a run, or take one up again."""
    resume = options.pop("resume", None)
    if resume is None:
        return runs.begin(options.pop("dataset", None), folder=options.pop("run", None), **options)
    if other := options.keys() - set(CHANGEABLE):
        called = {name: "--" + name.replace("_", "-") for name in {*other, *CHANGEABLE}} | {"dataset": "a data set"}
        may, names = (", ".join(called[name] for name in names) for names in (CHANGEABLE, sorted(other)))
        raise InputError(f"--resume takes all settings from the run: only {may} may be given with it, not {names}")
    return runs.resume(resume, **options)


def trained(training: Run) -> int:
    """Train to the end and return 0, or the number of the signal that came between, when all is saved."""
    with signals_noted() as came, ExitStack() as stack:
        bar = progress_bar(training)
        stack.callback(_write_to_terminal, bar.close, came)
        for update in training.updates():
            if came():
                training.save()
                break
            _write_to_terminal(partial(show, update, training, bar), came)
        return came()


def _write_to_terminal(write: Callable[[], None], came: Callable[[], int]) -> None:
    """Write to a terminal, unless it is gone and says so by SIGHUP."""
    try:
        write()
    except OSError:
        if not came():
            raise


def finish(training: Run) -> None:
    """Draw the pictures, try what was learned on the held-out examples and say how good that is."""
    if training.communicator.rank > 0:
        return
    with report_warnings():
        training.draw()
    evaluation = training.evaluate()
    if shown := evaluation.examples(SHOWN):
        print(f"\n{shown}")
    print(f"\n{evaluation.table()}\n")
    verb, example = training.task.verb, training.example()
    ends_options = ["--"] if example.startswith("-") else []
    print(f"{verb} with  {shlex.join(['npformer', verb, str(training.folder.path), *ends_options, example])}")
