"""Translate sentences, or standard input line by line; output lines match. After -- a sentence may begin with -."""

import sys
from collections.abc import Iterable

from ..base import InputError, require
from ..base.memory import keep_freed_memory
from ..decoding import Translator
from ..decoding.beam import check_settings
from .lines import one_line, tell
from .options import named, sentence, whole_number
from .search import add_search_options, search_settings

USAGE = "[options] RUN [SENTENCE ...]"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("run", type=named, metavar="RUN", help="a run folder of `npformer train`")
    lines = "what to translate (default: the lines of standard input)"
    parser.add_argument("sentences", nargs="*", default=[], type=sentence, metavar="SENTENCE", help=lines)
    add_search_options(parser)
    n_best = "the N best of each line: line number, score, text, by tabs (default: the best one's text alone)"
    parser.add_argument("--n-best", type=whole_number(1), metavar="N", help=n_best)


def run(options) -> int:
    """Translate sentences or the lines of standard input, and return the exit status."""
    keep_freed_memory()
    output = TranslatedLines(Translator.load(options.run), n_best=options.n_best, **search_settings(options))
    if options.sentences:
        for text in options.sentences:
            output.read(text, "sentence")
        output.write()
    else:
        translate_standard_input(output)
    return output.status


class TranslatedLines:
    """Write a line for each sentence, or with n_best up to so many: line number, score and text between tabs.

    A sentence that cannot be translated leaves its line empty but for number and tabs, a reason, and the exit status 2;
    of a blank line on standard input, which may just part paragraphs, no more than the reason. A character in a
    translation that would end its line is written as a space.

    Raises `InputError` when beam, alpha and n_best do not fit together.
    """

    def __init__(self, translator: Translator, *, beam: int, alpha: float, n_best: int | None, batch_tokens: int):
        check_settings(beam, alpha, n_best or 1)
        self.translator = translator
        self.settings = {"beam": beam, "alpha": alpha, "batch_tokens": batch_tokens, "n": n_best}
        self.status = 0
        self.n_read = 0
        self.waiting = []  # the ids of each sentence that is not written yet, None where it cannot be translated

    def read(self, sentence: str, what: str) -> None:
        """Take a sentence in, and tell what is odd about it; errors call it a `what` and tell its number."""
        self.n_read += 1
        if unknown := self.translator.source.unknown(sentence):
            tell(f"{what} {self.n_read}: unknown, read as <unk>: {', '.join(unknown)}")
        try:
            self.waiting.append(self.translator.encode(sentence))
        except InputError as error:
            tell(f"{what} {self.n_read}: {error}")
            self.waiting.append(None)
            if sentence.strip() or what != "line":
                self.status = 2

    @property
    def is_full(self) -> bool:
        """Whether a batch of tokens waits to be translated."""
        return sum(len(ids or " ") for ids in self.waiting) >= self.settings["batch_tokens"]

    def write(self) -> int:
        """Translate and print what waits; return how many sentences that were."""
        n_best, n_written = self.settings["n"], len(self.waiting)
        found = iter(self.translator.translations([ids for ids in self.waiting if ids], **self.settings))
        for number, ids in enumerate(self.waiting, start=self.n_read - n_written + 1):
            texts = [(f"{t.score:.4f}\t" if n_best else "") + one_line(t.text) for t in (next(found) if ids else ())]
            for text in texts or ["\t" if n_best else ""]:
                print(f"{number}\t{text}" if n_best else text)
        sys.stdout.flush()
        self.waiting.clear()
        return n_written


def translate_standard_input(output: TranslatedLines) -> None:
    """Translate whenever a batch of tokens has come; what somebody types, line by line."""
    if sys.stdin is None:
        raise InputError("standard input is closed: give sentences as arguments, or lines to read")
    typed = sys.stdin.isatty()
    bar = require("tqdm", "npformer").tqdm(unit=" lines", disable=True if typed else None, dynamic_ncols=True)

    def write() -> None:
        with bar.external_write_mode(file=sys.stdout):
            n_written = output.write()
        bar.update(n_written)

    with bar:
        try:
            for line in standard_input_lines():
                with bar.external_write_mode():
                    output.read(line, "line")
                if typed or output.is_full:
                    write()
        finally:
            write()  # what came before a bad line is not lost


def standard_input_lines() -> Iterable[str]:
    """Yield the lines of standard input, read as UTF-8."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(f"line {number} of standard input is not UTF-8: save it as UTF-8 text") from None
