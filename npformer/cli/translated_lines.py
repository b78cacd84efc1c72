"""Translations on standard output, in the order of their sentences, and what was odd on standard error."""

from __future__ import annotations

import sys
from contextlib import nullcontext

from ..base.errors import InputError
from ..decoding import Translator
from ..decoding.beam import check_settings
from .threads import blas_threads


class TranslatedLines:
    """Write a line for each sentence, or with n_best up to so many: line number, score and text between tabs.

    A sentence that cannot be translated leaves its line empty but for number and tabs, a reason, and the exit status 2.

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
            usable = {}
            for number, sentence in enumerate(sentences, start=first):
                try:
                    self.translator.encode(sentence)
                    usable[number] = sentence
                except InputError as error:
                    print(f"npformer: {what} {number}: {error}", file=sys.stderr)
                    self.status = 2
                if unknown := self.translator.source.unknown(sentence):
                    print(f"npformer: {what} {number}: unknown, read as <unk>: {', '.join(unknown)}", file=sys.stderr)
        nothing = "\t" if self.n_best else ""
        lines = dict(zip(usable, self.lines(list(usable.values())), strict=True))
        with bar.external_write_mode(file=sys.stdout) if bar is not None else nullcontext():
            for number in range(first, self.number + 1):
                for line in lines.get(number, [nothing]):
                    print(f"{number}\t{line}" if self.n_best else line)
            sys.stdout.flush()

    def lines(self, sentences: list[str]) -> list[list[str]]:
        """Return the lines to print for each sentence."""
        with blas_threads(self.translator.model.config):
            if not self.n_best:
                return [[translation] for translation in self.translator.translate(sentences, **self.settings)]
            best = self.translator.n_best(sentences, n=self.n_best, **self.settings)
        return [[f"{translation.score:.4f}\t{translation.text}" for translation in found] for found in best]
