"""The verbs of the tasks, such as translate: texts in, predictions out."""

import sys
from collections.abc import Iterable, Iterator

from ..decoding import Predictor
from ..decoding.predictor import BATCH_TOKENS
from ..runs.folder import RunFolder
from ..tasks import TASKS, Task
from ..utils import InputError, settings_of
from ..utils.malloc import keep_freed_memory
from .options import add_settings, file_name, utf8_text, whole_number
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
            kind = {"type": whole_number(1), "metavar": "N", "default": BATCH_TOKENS}
            parser.add_argument("--batch-tokens", **kind, help=size)
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
            [prompt] = options.texts
            _report_unknown(predictor, prompt, "")
            try:
                with report_warnings():
                    for piece in self.task.predict(predictor, [prompt], settings):
                        print(strip_controls(piece), end="", flush=True)
            except KeyboardInterrupt:
                print()
                raise
            print()
            return 0
        list(self.task.predict(predictor, [], settings))  # refuses settings that do not fit together
        given, typed = bool(options.texts), not options.texts and sys.stdin is not None and sys.stdin.isatty()
        texts, what = (options.texts, "text") if given else (_standard_input_lines(), "line")
        status = 0
        for first, batch in batches(predictor, texts, what, 1 if typed else options.batch_tokens):
            usable = [text if error is None else None for text, error in batch]
            for line in self.task.predict(predictor, usable, settings, first=first, batch_tokens=options.batch_tokens):
                print(line)
            sys.stdout.flush()
            if any(error and (given or text.strip()) for text, error in batch):
                status = 2
        return status


def batches(predictor: Predictor, texts: Iterable[str], what: str, batch_tokens: int) -> Iterator[tuple[int, list]]:
    """Yield texts, each with its error or None, about batch_tokens at a time, after the number of the first."""
    first, waiting, n_tokens = 1, [], 0
    try:
        for number, text in enumerate(texts, start=1):
            _report_unknown(predictor, text, f"{what} {number}: ")
            error = None
            try:
                n_tokens += len(predictor.encode(text))
            except InputError as found:
                error, n_tokens = found, n_tokens + 1
                print_error(f"{what} {number}: {error}")
            waiting.append((text, error))
            if n_tokens >= batch_tokens:
                yield first, waiting
                first, waiting, n_tokens = number + 1, [], 0
    except InputError:
        if waiting:
            yield first, waiting  # the lines before one that is not UTF-8 are not lost
        raise
    if waiting:
        yield first, waiting


def _report_unknown(predictor: Predictor, text: str, where: str) -> None:
    """Name the unknown tokens of a text on standard error."""
    if unknown := predictor.unknown(text):
        print_error(f"{where}unknown, read as <unk>: {', '.join(unknown)}")


def _standard_input_lines() -> Iterator[str]:
    """Yield the lines of standard input, read as UTF-8."""
    if sys.stdin is None:
        raise InputError("standard input is closed: give texts as arguments, or lines to read")
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(f"line {number} of standard input is not UTF-8: save it as UTF-8 text") from None
