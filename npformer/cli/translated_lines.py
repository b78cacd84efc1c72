"""Translations on standard output, in the order of their sentences, and what was odd on standard error."""

import sys

from ..base import InputError
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
