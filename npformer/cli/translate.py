"""`npformer translate`: translate sentences given as arguments, or line by line from standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ..errors import InputError
from ..inference import Translator
from .threads import blas_threads

LINES_AT_A_TIME = 64


def translate(run: str, sentences: list[str]) -> int:
    """Print a translation a line, in order; a sentence that cannot be translated leaves an empty line and a reason."""
    translator = Translator.load(run)
    if sentences:
        return translate_lines(translator, sentences, "sentence")
    failed, chunk, first = 0, [], 1
    one_by_one = sys.stdin.isatty()
    try:
        for line in standard_input_lines():
            chunk.append(line)
            if one_by_one or len(chunk) == LINES_AT_A_TIME:
                failed |= translate_lines(translator, chunk, "line", first)
                first, chunk = first + len(chunk), []
    except InputError:
        translate_lines(translator, chunk, "line", first)  # what came before the bad line is not lost
        raise
    return failed | translate_lines(translator, chunk, "line", first)


def standard_input_lines() -> Iterable[str]:
    """Yield the lines of standard input, read as UTF-8."""
    for number, line in enumerate(sys.stdin.buffer, start=1):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InputError(f"line {number} of standard input is not UTF-8: save it as UTF-8 text") from None


def translate_lines(translator: Translator, lines: list[str], what: str, first: int = 1) -> int:
    """Translate some lines, print the results, and say on standard error what was odd; return the exit status."""
    usable, status = {}, 0
    for i, line in enumerate(lines):
        try:
            translator.encode(line)
            usable[i] = line
        except InputError as error:
            print(f"npformer: {what} {first + i}: {error}", file=sys.stderr)
            status = 2
        if unknown := translator.source.unknown(line):
            print(f"npformer: {what} {first + i}: unknown, read as <unk>: {', '.join(unknown)}", file=sys.stderr)
    with blas_threads(translator.model.config):
        translations = dict(zip(usable, translator.translate(list(usable.values())), strict=True))
    for i in range(len(lines)):
        print(translations.get(i, ""), flush=True)
    return status
