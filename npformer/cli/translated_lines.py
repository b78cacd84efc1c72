"""Translations on standard output, in the order of their sentences, and what was odd on standard error."""

from __future__ import annotations

import sys
from contextlib import nullcontext

from ..base.errors import InputError
from ..decoding import Translator
from ..decoding.beam import check_settings
from .lines import one_line, tell


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
        self.settings = {"beam": beam, "alpha": alpha, "batch_tokens": batch_tokens}
        self.n_best = n_best
        self.status = 0
        self.number = 0  # of the last sentence

    def write(self, sentences: list[str], what: str, bar=None) -> None:
        """Translate some sentences and print the results; errors call each a `what` and tell its number."""
        first = self.number + 1
        self.number += len(sentences)
        with bar.external_write_mode() if bar is not None else nullcontext():
            numbered = enumerate(sentences, start=first)
            usable = {number: text for number, text in numbered if self.is_usable(text, what, number)}
        lines = dict(zip(usable, self.lines(list(usable.values())), strict=True))
        nothing = "\t" if self.n_best else ""
        with bar.external_write_mode(file=sys.stdout) if bar is not None else nullcontext():
            for number in range(first, self.number + 1):
                for line in lines.get(number, [nothing]):
                    print(f"{number}\t{line}" if self.n_best else line)
            sys.stdout.flush()

    def is_usable(self, sentence: str, what: str, number: int) -> bool:
        """Tell whether a sentence can be translated, and the user what is odd about it."""
        if unknown := self.translator.source.unknown(sentence):
            tell(f"{what} {number}: unknown, read as <unk>: {', '.join(unknown)}")
        try:
            self.translator.encode(sentence)
            return True
        except InputError as error:
            tell(f"{what} {number}: {error}")
        if sentence.strip() or what != "line":
            self.status = 2
        return False

    def lines(self, sentences: list[str]) -> list[list[str]]:
        """Return the lines to print for each sentence."""
        if not self.n_best:
            return [[one_line(text)] for text in self.translator.translate(sentences, **self.settings)]
        best = self.translator.n_best(sentences, n=self.n_best, **self.settings)
        return [[f"{translation.score:.4f}\t{one_line(translation.text)}" for translation in found] for found in best]
