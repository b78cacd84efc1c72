"""What translate and classify share: texts in, a prediction for each out."""

import sys
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ..decoding.beam import BeamSearchConfig
from ..runs.folder import RunFolder
from ..tasks import Predictor
from ..tasks.predictor import BATCH_TOKENS
from ..utils import InputError
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import RUN_HELP, add_setting, file_name, number, utf8_text
from .standard_streams import print_error

VERBS = {  # that predict, by task
    "translation": "translate",
    "classification": "classify",
    "language_model": "generate",
}
LINES = 200  # of a file that are read before they are translated, to batch those of similar length

# from texts, None where one cannot be used, and the number of the first, to an output for each
Predict = Callable[[list[str | None], int], Iterator[str]]


def add_text_arguments(parser: Any) -> None:
    """Add the run, its texts, and how many tokens are read at a time."""
    parser.add_argument("run", type=file_name, metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "texts",
        nargs="*",
        default=[],
        type=utf8_text,
        metavar="TEXT",
        help=f"texts (default: the lines of standard input; of a file or a pipe {LINES} at a time)",
    )
    add_batch_tokens(parser)


def add_batch_tokens(parser: Any) -> None:
    """Add the option --batch-tokens."""
    parser.add_argument(
        "--batch-tokens",
        type=number(least=1),
        default=BATCH_TOKENS,
        metavar="N",
        help=f"tokens that are read at a time, about (default {BATCH_TOKENS})",
    )


def add_search_options(parser: Any) -> None:
    """Add the settings of the beam search as options; one that is not given is not there."""
    for setting in BeamSearchConfig.options().values():
        default = f"{setting.default}, or what an imported model came with"
        add_setting(parser, setting._replace(default=None, none_is=default))


def load_predictor(path: str, task: str) -> Any:
    """Return the predictor of a run. Raises `InputError` when the run is of another task."""
    folder = RunFolder.find(path)
    found = folder.predictor.task
    if found != task:
        advice = f"expected one of {task}"
        if found in VERBS:
            advice = f"use npformer {VERBS[found]}"
        raise InputError(f"{path} holds a model of the task {found}: {advice}")
    keep_freed_memory()
    return folder.load()


def print_predictions(predictor: Predictor, texts: list[str], predict: Predict) -> int:
    """Print the predictions for texts, or for standard input line by line.

    Returns the exit status: 2 if one of them cannot be used, else 0.
    """
    list(predict([], 1))  # refuses options that do not fit together before anything is read
    if not texts and sys.stdin is None:
        raise InputError("standard input is closed: give texts as arguments, or lines to read")

    what = "text" if texts else "line"
    n_lines = LINES
    if not texts and sys.stdin.isatty():
        n_lines = 1  # each line that is typed is answered

    status = 0
    first = 1
    # bytes, so that a line that is not UTF-8 does not end the lines after it
    inputs = iter(texts or sys.stdin.buffer)
    while batch := list(islice(inputs, n_lines)):
        usable: list[str | None] = []
        for number_of_text, line in enumerate(batch, start=first):
            text, is_error = _read(predictor, line, f"{what} {number_of_text}")
            usable.append(text)
            if is_error:
                status = 2
        for output in predict(usable, first):
            print(output)
        sys.stdout.flush()
        first += len(batch)
    return status


def report_unknown(predictor: Predictor, text: str, where: str = "") -> None:
    """Print which tokens of a text are read as <unk>, if any."""
    unknown = predictor.unknown(text)
    if unknown:
        # a control character would be printed as a space
        readable = [token if token.isprintable() else ascii(token) for token in unknown]
        print_error(f"{where}unknown, read as <unk>: {', '.join(readable)}")


def _read(predictor: Predictor, line: str | bytes, where: str) -> tuple[str | None, bool]:
    """Return a text, None where it cannot be used, and whether that is an error; report why."""
    try:
        text = line
        if isinstance(text, bytes):
            # editors of Windows begin a file with a byte order mark, and end its lines by \r\n
            text = text.decode("utf-8-sig").rstrip("\r\n")
        report_unknown(predictor, text, f"{where}: ")
        predictor.encode(text)
        return text, False
    except UnicodeDecodeError:
        print_error(f"{where}: it is not UTF-8: save it as UTF-8 text")
    except InputError as error:
        print_error(f"{where}: {error}")
    # a file may have blank lines, an argument may not be blank
    return None, isinstance(line, str) or bool(line.strip())
