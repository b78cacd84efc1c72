"""Word dropout: a random subset of the tokens is read as <unk>, a new one in each epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..utils import InputError
from .vocabulary import UNK


class WordDropout:
    """Replaces a random subset of the token ids by <unk>; a new subset is drawn in each epoch.

        P(token read as <unk>) = 1 - (1 - share) (1 - rare / (rare + count of the token in texts))

    A model that cannot rely on any one word overfits less, and learns what to do with unknown
    words. An epoch's choice depends on `seed` and its number alone.

    Arguments:
        texts: the ids of the texts, in which tokens are counted too
        share: hides all words equally often (Bowman et al. 2016, section 3.3, of a decoder),
            0 <= share < 1
        rare: hides rare words more often (Kiperwasser and Goldberg 2016, section 4: 0.25), 0 or
            more
        seed: of the random numbers

    Raises `InputError` when share or rare is out of range.

    >>> dropout = WordDropout([[5, 6, 7, 8], [5, 9]], share=0.3, rare=0.25, seed=0)
    >>> dropout.epoch(1), dropout.epoch(2)
    ([[1, 6, 1, 1], [5, 9]], [[5, 6, 1, 8], [5, 9]])
    """

    def __init__(self, texts: Sequence[Sequence[int]], *, share: float, rare: float, seed: int):
        if not 0 <= share < 1:
            raise InputError(f"share = {share!r}: expected a number of 0 or more, and below 1")
        if not rare >= 0:
            raise InputError(f"rare = {rare!r}: expected a number of 0 or more")
        self.texts = texts
        counts: Counter[int] = Counter()
        for text in texts:
            counts.update(text)
        self.keep_probs: dict[int, float] = {}
        for token, count in counts.items():
            self.keep_probs[token] = (1 - share) * count / (rare + count)
        self.seed = seed

    def epoch(self, number: int) -> list[list[int]]:
        """Return the texts as an epoch reads them."""
        # a generator per epoch: a resumed training draws what an uninterrupted one does
        rng = np.random.default_rng([self.seed, number])
        read_texts = []
        for text in self.texts:
            read = []
            for token, draw in zip(text, rng.random(len(text)), strict=True):
                read.append(token if draw < self.keep_probs[token] else UNK)
            read_texts.append(read)
        return read_texts
