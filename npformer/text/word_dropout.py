"""Word dropout: texts in which other tokens are read as <unk> in each epoch."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from .vocabulary import UNK


class WordDropout:
    """Texts of ids of which some tokens are read as <unk>, others in each epoch.

        P(token read as <unk>) = 1 - (1 - share) (1 - rare / (rare + how often the texts have the token))

    A model that cannot rely on any one word overfits less, and learns what to do with unknown words. `share` hides all
    words equally often (Bowman et al. 2016, section 3.3, of a decoder); `rare` hides rare words more often (Kiperwasser
    and Goldberg 2016, section 4, where it is 0.25). An epoch's choice depends on `seed` and its number alone.

    >>> dropout = WordDropout([[5, 6, 7, 8], [5, 9]], share=0.3, rare=0.25, seed=0)
    >>> dropout.epoch([[5, 6, 7, 8], [5, 9]], 1), dropout.epoch([[5, 6, 7, 8], [5, 9]], 2)
    ([[1, 6, 1, 1], [5, 9]], [[5, 6, 1, 8], [5, 9]])
    """

    def __init__(self, texts: Sequence[list[int]], *, share: float, rare: float, seed: int):
        counts = Counter(token for text in texts for token in text)
        self.keep_probs = {
            token: (1 - share) * count / (rare + count) for token, count in counts.items()
        }
        self.always, self.seed = 1 - share, seed  # always: of a token that the texts do not have

    def epoch(self, texts: Sequence[list[int]], number: int) -> list[list[int]]:
        """Return texts as an epoch reads them."""
        rng = np.random.default_rng([self.seed, number])
        draws = iter(rng.random(sum(map(len, texts))).tolist())
        return [
            [i if next(draws) < self.keep_probs.get(i, self.always) else UNK for i in text]
            for text in texts
        ]
