"""Translate sentences, or standard input line by line; output lines match. After -- a sentence may begin with -."""

import sys
from collections.abc import Iterable

from ..base import InputError, require
from ..base.memory import keep_freed_memory
from ..decoding import Translator
from .options import named, sentence, whole_number
from .search import add_search_options, search_settings
from .translated_lines import TranslatedLines

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
