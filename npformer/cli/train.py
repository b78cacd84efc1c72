"""Train a model and write a run folder. Without options: the phrasebook."""

import argparse
import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import datasets, runs
from ..runs.recipe import model_options, recipes, training_options
from ..runs.settings import DataSettings
from ..runs.training_run import Run
from ..tasks import Batches, TextChunks
from ..text import fits
from ..training import StepRecord
from ..utils import import_optional
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import Parser, add_settings, file_name
from .predict import VERBS
from .standard_streams import print_error, report_warnings, shell_command

# the options of --help; --help-all has the others too
COMMON = (
    "dataset",
    "src",
    "tgt",
    "tsv",
    "text",
    "recipe",
    "run",
    "resume",
    "epochs",
    "batch_tokens",
    "workers",
    "seed",
    "help",
    "help_all",
)
EXAMPLES = {  # what an example is called, by task
    "translation": "sentence pairs",
    "classification": "texts",
    "language_model": "tokens of text",
}
N_EXAMPLES = 10  # held-out examples printed at the end
# tqdm's own line would be cut at 80 columns, for it has the updates per second too
BAR = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}<{remaining}{postfix}]"


def add_options(parser: Any, *, describe_all: bool = False) -> None:
    """Add all settings as options; the help has only the common ones, or all."""
    parser.usage = "npformer train [DATASET] [options]"
    names = list(datasets.registry())
    about_data = DataSettings.options()
    recipe = about_data.pop("recipe")
    del about_data["dataset"]

    group = parser.add_argument_group("what to train on")
    group.add_argument(
        "dataset", nargs="?", choices=names, metavar="DATASET", help=", ".join(names)
    )
    add_settings(group, about_data)

    group = parser.add_argument_group("how", f"Recipes replace defaults: {', '.join(recipes())}.")
    add_settings(group, {"recipe": recipe})
    group.add_argument(
        "--run",
        type=file_name,
        default=argparse.SUPPRESS,
        metavar="DIR",
        help="the run folder to make (default: a new one in runs/)",
    )
    group.add_argument(
        "--resume",
        type=file_name,
        default=argparse.SUPPRESS,
        metavar="DIR",
        help="continue a stopped run, or train it for more --epochs",
    )
    group.add_argument("--help-all", action="store_true", help="show all options and exit")

    add_settings(parser.add_argument_group("model"), model_options())
    add_settings(parser.add_argument_group("training"), training_options())
    for action in parser._actions:
        if not describe_all and action.dest not in COMMON:
            action.help = argparse.SUPPRESS


def run(options: Any) -> int:
    """Train as the command line asks; return the exit status."""
    arguments = dict(vars(options))
    if arguments.pop("help_all"):
        parser = Parser(prog="npformer train", description=__doc__)
        add_options(parser, describe_all=True)
        parser.print_help()
        return 0

    keep_freed_memory()
    run = _begin_or_resume(arguments)
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
    command = ["npformer", "train", "--resume", str(run.folder.path)]
    print(f"\nstopped and saved after update {run.trainer.optimizer.steps}; continue with")
    print(f"  {shell_command(command)}", flush=True)
    return 128 + stopped_by  # as a shell does after a signal


def _begin_or_resume(arguments: dict[str, Any]) -> Run:
    """Return the run that the command line names, new or old."""
    dataset = arguments.pop("dataset")
    if "resume" not in arguments:
        return runs.begin(dataset, folder=arguments.pop("run", None), **arguments)

    # what is given besides --resume is refused there, if it may not change
    if dataset is not None:
        arguments["dataset"] = dataset
    return runs.resume(arguments.pop("resume"), **arguments)


def _train(run: Run) -> int:
    """Train to the end and return 0; or to the first signal, save, and return its number."""
    with _note_signals() as received, progress_bar(run) as bar:
        for update in run.updates():
            if received:
                # between two updates, where a checkpoint can be taken
                run.save()
                break
            show(update, run, bar)
        return received[0] if received else 0


@contextmanager
def _note_signals() -> Iterator[list[int]]:
    """Yield a list to which SIGINT (Ctrl-C), SIGTERM and SIGHUP are added.

    After one of them Ctrl-C ends the program at once.
    """
    received: list[int] = []

    def note(number: int, frame: Any) -> None:
        received.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    # the handlers are put back at the end, because a caller of main may have its own
    handlers: dict[int, Any] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if not hasattr(signal, name):  # Windows has no SIGHUP
            continue
        number = getattr(signal, name)
        handler = signal.getsignal(number)
        # one that is ignored, as under nohup, stays ignored; None is a handler of C code, which
        # Python cannot put back
        if handler not in (signal.SIG_IGN, None):
            handlers[number] = handler
    try:
        for number in handlers:
            signal.signal(number, note)
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _finish(run: Run) -> None:
    """Print held-out examples, scores and what to try next; plot the learning curve."""
    if run.communicator.rank > 0:
        return
    scores = run.evaluate()
    shown = scores.examples(N_EXAMPLES)
    if shown:
        print(f"\n{shown}")
    print(f"\n{scores.table()}\n")

    verb = VERBS.get(run.task.name)
    if verb is not None:
        text = example(run)
        # a text that begins with a dash would be read as an option
        ends_options = ["--"] if text.startswith("-") else []
        command = ["npformer", verb, str(run.folder.path), *ends_options, text]
        print(f"{verb} with  {shell_command(command)}", flush=True)
    with report_warnings():
        run.plot_curves()


def example(run: Run) -> str:
    """Return a text to try the trained model with: the data set's own, or else a held-out one."""
    own = run.settings.data_set().text_to_try(run.settings.direction)
    if own is not None:
        return own

    if run.task.name == "language_model":
        lines = "\n".join(run.held_out).splitlines()
        first = next(line for line in lines if line.strip())
        return first[: run.config.max_len]

    # the longest of the first ten that the model can read
    vocabulary = next(iter(run.vocabularies.values()))
    special_tokens = getattr(run.config, "source_special_tokens", "eos")
    usable: list[str] = []
    for held_out in run.held_out:
        if run.task.name == "translation":
            text = held_out.source
        else:
            text = held_out.text
        if fits(vocabulary.encode(text), run.config.max_len, special_tokens):
            usable.append(text)
        if len(usable) == 10:
            break
    return max(usable, key=len)


def describe(run: Run) -> str:
    """Say in a few lines what will be trained on what."""
    config = run.config
    vocabularies = dict(run.vocabularies)
    labels = vocabularies.pop("label", None)

    batches = run.trainer.batches
    what = EXAMPLES.get(run.task.name, "examples")
    examples = f"{n_examples(batches):,} {what}"
    if run.left_out:
        longest = min(config.max_len, run.settings.batch_tokens)
        examples += (
            f", {run.left_out} left out (empty, or over {longest} tokens, special tokens included)"
        )
    examples += f"; {n_examples(run.held_out_batches):,} held out"
    if labels is not None:
        examples += f" in {len(labels)} classes"

    sizes = [f"{len(vocabulary):,} {side}" for side, vocabulary in vocabularies.items()]
    tokenizer = next(iter(vocabularies.values())).tokenizer
    padding = 100 * batches.epoch(run.trainer.epoch).padding_share
    tokens = f"{' and '.join(sizes)}, tokenizer {tokenizer}; {padding:.1f}% padding in the batches"

    depths = []
    for stack in ("encoder", "decoder"):
        depth = getattr(config, f"n_{stack}_layers", 0)
        if depth:
            depths.append(str(depth))
    layers = _counted("+".join(depths), "layer")
    widths = f"d_model {config.d_model}, d_ff {config.d_ff}, {config.n_heads} heads"

    lines = [
        f"data    {examples}",
        f"tokens  {tokens}",
        f"model   {layers}, {widths}, {run.model.n_parameters:,} parameters",
        f"folder  {run.folder.path}",
    ]
    if run.done:
        n_epochs = len(run.log.held_out_losses())
        after = _counted(str(n_epochs), "epoch")
        more = ""
        if run.settings.patience:
            more = " or a longer --patience"
        lines.append(f"done    after {after}: give more --epochs{more} to train on")
    return "\n".join(lines)


def _counted(number: str, noun: str) -> str:
    """Return a number with its noun, such as "1 layer" or "2+2 layers"."""
    return f"{number} {noun}" if number == "1" else f"{number} {noun}s"


def n_examples(batches: Batches | TextChunks) -> int:
    """Return the number of examples, or of the tokens of a text."""
    return len(batches.ids) if isinstance(batches, TextChunks) else len(batches.examples)


def progress_bar(run: Run) -> Any:
    """Return a bar over all updates of a run, including those before it was resumed."""
    trainer = run.trainer
    # epochs differ by a few batches: the total is an estimate
    per_epoch = math.ceil(len(trainer.batches.epoch(trainer.epoch)) / trainer.accumulate)
    epochs_left = run.settings.epochs + 1 - trainer.epoch
    left = epochs_left * per_epoch - trainer.batches_done // trainer.accumulate
    done = trainer.optimizer.steps

    tqdm = import_optional("tqdm", "npformer").tqdm
    tqdm.monitor_interval = 0  # its thread would keep workers from being processes
    return tqdm(
        initial=done,
        total=done + max(left, 0),
        bar_format=BAR,
        disable=None,
        dynamic_ncols=True,
    )


def show(update: StepRecord, run: Run, bar: Any) -> None:
    """Move the bar by an update, and print a line where an epoch ends."""
    speed = f"{update.tokens_per_second:,.0f} {run.task.counted}s/s"
    bar.set_description(f"epoch {update.epoch}", refresh=False)
    bar.set_postfix_str(f"loss {update.loss:.3f}, {speed}", refresh=False)
    bar.update()
    if not update.ends_epoch:
        return

    losses = f"loss {run.log.training_loss(update.epoch):.3f}"
    losses += f"   held-out loss {update.held_out_loss:.3f}"
    if update.held_out_accuracy is not None:
        losses += f"   accuracy {100 * update.held_out_accuracy:.1f}%"
    # a line in the middle of the bar would otherwise begin at the bar's end
    with bar.external_write_mode():
        print(f"epoch {update.epoch:3d}   {losses}   {speed}   {update.seconds:.0f} s", flush=True)
