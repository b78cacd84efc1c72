"""The verbs of the tasks, such as translate: texts in, predictions out."""

import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..decoding import Predictor
from ..decoding.predictor import BATCH_TOKENS
from ..runs.folder import RunFolder
from ..tasks import TASKS, Task
from ..utils import InputError, settings_of
from ..utils.malloc import keep_freed_memory
from .options import add_settings, file_name, number, utf8_text
from .output import print_error, report_warnings, strip_controls


class TaskVerb:
    """The verb of a task: its options are those of the task's `predict_settings`."""

    def __init__(self, task: Task):
        self.task, self.__doc__ = task, f"{task.help} After -- a text may begin with -."

    def add_options(self, parser) -> None:
        """Add the run, the texts and the settings of the task."""
        parser.add_argument("run", type=file_name, metavar="RUN", help="a run folder of `npformer train` or import")
        if self.task.streams:
            parser.add_argument("texts", nargs=1, type=utf8_text, metavar="PROMPT", help="what the text begins with")
        else:
            lines = "texts (default: the lines of standard input)"
            parser.add_argument("texts", nargs="*", default=[], type=utf8_text, metavar="TEXT", help=lines)
            size = f"tokens that are read at a time, about (default {BATCH_TOKENS})"
            how = {"type": number(least=1), "metavar": "N", "default": BATCH_TOKENS}
            parser.add_argument("--batch-tokens", **how, help=size)
        add_settings(parser, settings_of(self.task.predict_settings), flags=True)

    def run(self, options) -> int:
        """Print the predictions for the texts; return 2 if one of them cannot be used, else 0."""
        keep_freed_memory()
        known = settings_of(self.task.predict_settings)
        settings = self.task.predict_settings(**{k: v for k, v in vars(options).items() if k in known})
        if (name := RunFolder(options.run).predictor.task) != self.task.name:
            raise InputError(f"{options.run} holds a model of the task {name}: use npformer {TASKS[name].verb}")
        predictor = self.task.predictor.load(options.run)
        if self.task.streams:
            return self._stream(predictor, options.texts[0], settings)
        list(self.task.predict(predictor, [], settings))  # refuses settings that do not fit together
        if options.texts:
            batch_tokens = options.batch_tokens
            lines = (_read_line(predictor, text, f"text {n}") for n, text in enumerate(options.texts, start=1))
        elif sys.stdin is None:
            raise InputError("standard input is closed: give texts as arguments, or lines to read")
        else:
            batch_tokens = 1 if sys.stdin.isatty() else options.batch_tokens
            numbered = enumerate(sys.stdin.buffer, start=1)
            lines = (_read_line(predictor, line, f"line {n}", may_be_blank=True) for n, line in numbered)
        first, status = 1, 0
        for batch in _batches(lines, batch_tokens):
            texts = [line.text for line in batch]
            for output in self.task.predict(predictor, texts, settings, first=first, batch_tokens=options.batch_tokens):
                print(output)
            sys.stdout.flush()
            first += len(batch)
            status = 2 if any(line.failed for line in batch) else status
        return status

    def _stream(self, predictor: Predictor, prompt: str, settings) -> int:
        """Print what follows a prompt, piece by piece."""
        if unknown := predictor.unknown(prompt):
            print_error(f"unknown, read as <unk>: {', '.join(unknown)}")
        try:
            with report_warnings():
                for piece in self.task.predict(predictor, [prompt], settings):
                    print(strip_controls(piece), end="", flush=True)
        except KeyboardInterrupt:
            print()
            raise
        print()
        return 0


class Line(NamedTuple):
    """A text to predict from, None where it cannot be used, and about how many tokens it takes."""

    text: str | None
    n_tokens: int
    failed: bool = False


def _read_line(predictor: Predictor, line: str | bytes, where: str, *, may_be_blank: bool = False) -> Line:
    """Read a text; report unknown tokens, and why it cannot be used."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig").rstrip("\r\n")
        if unknown := predictor.unknown(text):
            print_error(f"{where}: unknown, read as <unk>: {', '.join(unknown)}")
        return Line(text, len(predictor.encode(text)))
    except UnicodeDecodeError:
        reason = "it is not UTF-8: save it as UTF-8 text"
    except InputError as error:
        reason = str(error)
    print_error(f"{where}: {reason}")
    return Line(None, 1, failed=bool(line.strip()) or not may_be_blank)


def _batches(lines: Iterable[Line], batch_tokens: int) -> Iterator[list[Line]]:
    """Yield the lines, about batch_tokens at a time, as soon as they are there."""
    batch = []
    for line in lines:
        batch.append(line)
        if sum(line.n_tokens for line in batch) >= batch_tokens:
            yield batch
            batch = []
    if batch:
        yield batch
