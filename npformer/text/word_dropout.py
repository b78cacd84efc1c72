"""Word dropout: texts with some of their words hidden, others in each epoch."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from ..utils import InputError
from .vocabulary import UNK


class WordDropout:
    """Texts of ids of which some tokens are read as <unk>, others in each epoch.

        P(token read as <unk>) = 1 - (1 - share) (1 - rare / (rare + how often the texts have the token))

    A model that may not count on any one word learns fewer texts by heart, and learns what to make of words that it
    does not know. `share` hides all words alike (Bowman et al. 2016, section 3.3, of a decoder); `rare` hides those the
    oftener that come seldom (Kiperwasser and Goldberg 2016, section 4, where it is 0.25). An epoch's choice depends on
    `seed` and its number alone.

    Raises `InputError` unless 0 <= share < 1 and rare is 0 or more.

    >>> dropout = WordDropout([[5, 6, 7, 8], [5, 9]], share=0.3, rare=0.25, seed=0)
    >>> dropout.epoch([[5, 6, 7, 8], [5, 9]], 1), dropout.epoch([[5, 6, 7, 8], [5, 9]], 2)
    ([[1, 6, 1, 1], [5, 9]], [[5, 6, 1, 8], [5, 9]])
    """

    def __init__(self, texts: Sequence[list[int]], *, share: float, rare: float, seed: int):
        if not (0 <= share < 1 and rare >= 0):
            raise InputError(f"share = {share} and rare = {rare}: expected a share from 0 to below 1, and 0 or more")
        counts = Counter(token for text in texts for token in text)
        self.kept = {token: (1 - share) * count / (rare + count) for token, count in counts.items()}
        self.always = 1 - share  # for a token that the texts do not have
        self.seed = seed

    def epoch(self, texts: Sequence[list[int]], number: int) -> list[list[int]]:
        """Return texts as an epoch reads them."""
        rng = np.random.default_rng([self.seed, number])
        draws = iter(rng.random(sum(map(len, texts))).tolist())
        return [[i if next(draws) < self.kept.get(i, self.always) else UNK for i in text] for text in texts]
