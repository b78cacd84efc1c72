"""BPE-dropout: sentences whose words are cut into other subwords in each epoch (Provilkov et al. 2020)."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, pairwise

from .bpe import SubwordVocabulary

VARIANTS = 16  # cuts of a frequent word per epoch, used in turn


class SubwordDropout:
    """Sentences whose words are cut into subwords again in each epoch, some merges left out at random.

    A model that has seen "Hut", "H ut" and "Hu t" knows what its subwords are made of, and overfits less. `share` is
    the probability with which a merge that could be made is left out (0.1 in the paper). An
    epoch's cuts depend on `seed` and its number alone. A
    sentence that would have more than `longest` subwords keeps its usual ones.
    """

    def __init__(
        self,
        vocabulary: SubwordVocabulary,
        lines: Sequence[str],
        *,
        share: float,
        seed: int,
        longest: float = math.inf,
    ):
        self.ids = {token: i for i, token in enumerate(vocabulary.coded_tokens)}
        self.ranks = {merge: rank for rank, merge in enumerate(vocabulary.merges)}
        self.sentences = [vocabulary.words(line) for line in lines]
        self.whole = [vocabulary.encode(line) for line in lines]
        self.counts = Counter(word for sentence in self.sentences for word in sentence)
        self.share, self.seed, self.longest = share, seed, longest

    def epoch(self, number: int) -> list[list[int]]:
        """Return the ids of all sentences as one epoch reads them."""
        rng = random.Random(f"{self.seed} {number}")
        counts = self.counts.items()
        cuts = {
            word: cycle([self.cut(word, rng) for _ in range(min(n, VARIANTS))])
            for word, n in counts
        }
        cut = [[i for word in sentence for i in next(cuts[word])] for sentence in self.sentences]
        return [
            ids if len(ids) <= self.longest else whole
            for ids, whole in zip(cut, self.whole, strict=True)
        ]

    def cut(self, word: str, rng: random.Random) -> list[int]:
        """Return the ids of a word's subwords: of the pairs not left out, the one that was learned first is joined."""
        parts = list(word)
        while True:
            pairs = enumerate(pairwise(parts))
            merges = [
                (self.ranks[pair], i)
                for i, pair in pairs
                if pair in self.ranks and rng.random() >= self.share
            ]
            if not merges:
                return [self.ids[part] for part in parts]
            _, i = min(merges)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
