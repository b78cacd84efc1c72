"""Score a run. BLEU and perplexity of a translation, accuracy of classes, bits per character."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..datasets import SentencePair
from ..datasets.own_files import read_document, read_labeled, read_pairs
from ..evaluation import alignment_table, attention_error_rates
from ..runs.folder import RunFolder
from ..tasks import TASKS, Translator
from ..text import fits
from ..utils import InputError, prefix_errors
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import RUN_HELP, file_name, number
from .predict import add_batch_tokens, add_search_options

OPTIONS = {  # besides those of all runs, by task; one that is not given is not there
    "translation": ("src", "tgt", "language", "alignment", "beam", "alpha", "length_normalization"),
    "classification": ("tsv",),
    "language_model": ("text",),
}
OF_ALL_RUNS = ("run", "show", "batch_tokens")


def add_options(parser: Any) -> None:
    """Add the options of all runs, and those of each task."""
    parser.add_argument("run", type=file_name, metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "--show",
        type=number(least=0),
        default=0,
        metavar="N",
        help="print the first N examples (default 0)",
    )
    add_batch_tokens(parser)

    group = parser.add_argument_group("runs of the task translation")
    _add(group, "--src", "file of source sentences (default: the run's test or held-out set)")
    _add(group, "--tgt", "file of their reference translations")
    _add(
        group,
        "--language",
        "code of the target language, for Moses tokens (default: the data set's)",
    )
    group.add_argument(
        "--alignment",
        action="store_true",
        default=argparse.SUPPRESS,
        help="add the alignment error rate of each head; the data need word alignments",
    )
    add_search_options(group)

    group = parser.add_argument_group("runs of the task classification")
    _add(
        group, "--tsv", "file of lines: label, tab, text (default: the run's test or held-out set)"
    )
    group = parser.add_argument_group("runs of the task language_model")
    _add(group, "--text", "file of a text to predict (default: the run's test or held-out one)")


def run(options: Any) -> int:
    """Score a run as its task does, and return the exit status."""
    folder = RunFolder.find(options.run)
    task = TASKS[folder.predictor.task]
    given = {name: value for name, value in vars(options).items() if name not in OF_ALL_RUNS}
    _check_options(task.name, given)

    keep_freed_memory()
    arguments = {}
    # a model that was saved or imported has no training, and its language is not known
    if "training" in folder.read_config():
        arguments = task.evaluate_defaults(folder.training())
    for name in ("language", "beam", "alpha", "length_normalization"):
        if name in given:
            arguments[name] = given[name]
    predictor = folder.load()
    examples = _read_examples(folder, predictor, given)

    # first, because it fails at once where the data have no word alignments
    alignment = ""
    if "alignment" in given:
        alignment = _alignment_table(predictor, examples)
    scores = task.evaluate(predictor, examples, batch_tokens=options.batch_tokens, **arguments)
    shown = scores.examples(options.show) if options.show else ""
    if shown:
        print(f"{shown}\n")
    print(scores.table())
    if alignment:
        print(f"\n{alignment}")
    return 0


def _add(group: Any, option: str, help: str) -> None:
    """Add an option with a text, which is not in the namespace where it is not given."""
    group.add_argument(option, type=file_name, metavar="TEXT", default=argparse.SUPPRESS, help=help)


def _as_options(*names: str) -> str:
    return ", ".join(f"--{name.replace('_', '-')}" for name in names)


def _check_options(task: str, given: dict[str, Any]) -> None:
    """Raise `InputError` for options of another task, and for one file of two."""
    allowed = OPTIONS.get(task, ())
    foreign = [name for name in given if name not in allowed]
    if foreign:
        expected = _as_options(*allowed, "show", "batch_tokens")
        raise InputError(
            f"a run of the task {task} takes no {_as_options(*foreign)}: "
            f"expected some of {expected}"
        )
    if ("src" in given) != ("tgt" in given):
        raise InputError("--src and --tgt go together: give both files or neither")


def _read_examples(folder: RunFolder, predictor: Any, given: dict[str, Any]) -> list:
    """Return the examples in the files that were given, or else the run's test or held-out set."""
    if "src" in given:
        return read_pairs(given["src"], given["tgt"])
    if "tsv" in given:
        return read_labeled(given["tsv"], known=predictor.label.names)
    if "text" in given:
        return [read_document(given["text"])]

    # epochs may have been chosen by their held-out loss, so a test part comes first
    training = folder.training()
    part = "test" if "test" in training.data_set().parts else "held_out"
    with prefix_errors(f"the data that {folder.config_path} names"):
        [examples] = training.load(part)
    if part == "held_out":
        folder.check_held_out(examples)
    return examples


def _alignment_table(translator: Translator, pairs: Sequence[SentencePair]) -> str:
    """Return the alignment error rate of each head on the pairs that have a word alignment."""
    max_len = translator.model.config.max_len
    aligned = []
    for given in pairs:
        pair = given._replace(source=given.source.strip(), target=given.target.strip())
        source = translator.source.encode(pair.source)
        target = translator.target.encode(pair.target)
        readable = fits(source, max_len, translator.model.config.source_special_tokens)
        if pair.alignment and readable and fits(target, max_len):
            aligned.append(pair)
    if not aligned:
        raise InputError(
            "--alignment: no pair has a word alignment, as those of the phrasebook have"
        )
    return alignment_table(attention_error_rates(translator, aligned), aligned)
