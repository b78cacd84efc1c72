"""The verbs of the tasks, such as translate: texts in, predictions out."""

import sys
from itertools import islice

from ..runs.folder import RunFolder
from ..tasks import TASKS, Predictor, Task
from ..tasks.predictor import BATCH_TOKENS
from ..utils import InputError, settings_of
from ..utils.threads_and_memory import keep_freed_memory
from .argument_parser import add_settings, file_name, number, utf8_text
from .standard_streams import STEERING, print_error, report_warnings

LINES = 200  # that are read before they are translated, so that those of like length share a batch; typed ones: 1


class TaskVerb:
    """The verb of a task: its options are those of the task's `predict_settings`."""

    def __init__(self, task: Task):
        self.task, self.__doc__ = task, f"{task.help} After -- a text may begin with -."

    def add_options(self, parser) -> None:
        """Add the run, the texts and the settings of the task."""
        parser.add_argument(
            "run", type=file_name, metavar="RUN", help="a run folder of `npformer train` or import"
        )
        if self.task.streams:
            parser.add_argument(
                "texts", nargs=1, type=utf8_text, metavar="PROMPT", help="what the text begins with"
            )
        else:
            lines = "texts (default: the lines of standard input)"
            parser.add_argument(
                "texts", nargs="*", default=[], type=utf8_text, metavar="TEXT", help=lines
            )
            size = f"tokens that are read at a time, about (default {BATCH_TOKENS})"
            how = {"type": number(least=1), "metavar": "N", "default": BATCH_TOKENS}
            parser.add_argument("--batch-tokens", **how, help=size)
        add_settings(parser, settings_of(self.task.predict_settings), flags=True)

    def run(self, options) -> int:
        """Print the predictions for the texts; return 2 if one of them cannot be used, else 0."""
        keep_freed_memory()
        known = settings_of(self.task.predict_settings)
        settings = self.task.predict_settings(
            **{k: v for k, v in vars(options).items() if k in known}
        )
        if (name := RunFolder(options.run).predictor.task) != self.task.name:
            raise InputError(
                f"{options.run} holds a model of the task {name}: use npformer {TASKS[name].verb}"
            )
        predictor = RunFolder(options.run).load()
        if self.task.streams:
            return self._stream(predictor, options.texts[0], settings)
        list(
            self.task.predict(predictor, [], settings)
        )  # refuses settings that do not fit together
        if not options.texts and sys.stdin is None:
            raise InputError("standard input is closed: give texts as arguments, or lines to read")
        inputs, what = (options.texts, "text") if options.texts else (sys.stdin.buffer, "line")
        lines = (_read(predictor, line, f"{what} {n}") for n, line in enumerate(inputs, start=1))
        n_lines = 1 if what == "line" and sys.stdin.isatty() else LINES
        first, status = 1, 0
        while batch := list(islice(lines, n_lines)):
            texts = [text for text, _ in batch]
            for output in self.task.predict(
                predictor, texts, settings, first=first, batch_tokens=options.batch_tokens
            ):
                print(output)
            sys.stdout.flush()
            first += len(batch)
            if any(failed for _, failed in batch):
                status = 2
        return status

    def _stream(self, predictor: Predictor, prompt: str, settings) -> int:
        """Print what follows a prompt, piece by piece."""
        if unknown := predictor.unknown(prompt):
            print_error(f"unknown, read as <unk>: {', '.join(unknown)}")
        try:
            with report_warnings():
                for piece in self.task.predict(predictor, [prompt], settings):
                    print(piece.translate(STEERING), end="", flush=True)
        except KeyboardInterrupt:
            print()
            raise
        print()
        return 0


def _read(predictor: Predictor, line: str | bytes, where: str) -> tuple[str | None, bool]:
    """Return a text, None where it cannot be used, and whether that is an error; report why, and unknown tokens."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig").rstrip("\r\n")
        if unknown := predictor.unknown(text):
            print_error(f"{where}: unknown, read as <unk>: {', '.join(unknown)}")
        predictor.encode(text)
        return text, False
    except UnicodeDecodeError:
        reason = "it is not UTF-8: save it as UTF-8 text"
    except InputError as error:
        reason = str(error)
    print_error(f"{where}: {reason}")
    return None, isinstance(line, str) or bool(line.strip())  # a file may have blank lines
