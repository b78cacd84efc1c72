"""BPE-dropout: the same words cut into other subwords, time and again (Provilkov et al. 2020)."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import cycle, pairwise

from ..utils import InputError
from .bpe import SubwordVocabulary

VARIANTS = 16  # cuts of a frequent word in an epoch, used in turn


class SubwordDropout:
    """Sentences whose words are cut into subwords again in each epoch, some merges left out at random.

    A model that has seen "Hut", "H ut" and "Hu t" knows what its subwords are made of, and learns fewer sentences by
    heart. `share` is the probability with which a merge that could be made is left out (the paper takes 0.1). It is
    by hand since the library draws from a generator that takes no seed; here an epoch's cuts depend on `seed` and the
    epoch's number alone.

    Raises `InputError` when `share` is not in 0 .. 1.

    >>> lines = ["low lower lowest", "slow slower"]
    >>> subwords = SubwordVocabulary.build(lines, size=264)
    >>> epochs = [SubwordDropout(subwords, lines, share=0.5, seed=0).epoch(n) for n in (1, 2)]
    >>> [len(ids) for ids in epochs[0]], [len(ids) for ids in epochs[1]], len(subwords.encode(lines[0]))
    ([13, 9], [16, 7], 8)
    >>> [subwords.decode(ids) for ids in epochs[0]] == lines
    True
    """

    def __init__(self, vocabulary: SubwordVocabulary, lines: Sequence[str], *, share: float, seed: int):
        if not 0 <= share <= 1:
            raise InputError(f"share = {share}: expected 0 to 1, the probability with which a merge is left out")
        model = vocabulary.to_json()["model"]
        self.ids = model["vocab"]
        self.ranks = {tuple(merge): rank for rank, merge in enumerate(model["merges"])}
        self.sentences = [vocabulary.words(line) for line in lines]
        self.counts = Counter(word for sentence in self.sentences for word in sentence)
        self.share = share
        self.seed = seed

    def epoch(self, number: int) -> list[list[int]]:
        """Return the ids of all sentences as one epoch reads them."""
        rng = random.Random(f"{self.seed} {number}")
        counts = self.counts.items()
        cuts = {word: cycle([self.cut(word, rng) for _ in range(min(n, VARIANTS))]) for word, n in counts}
        return [[i for word in sentence for i in next(cuts[word])] for sentence in self.sentences]

    def cut(self, word: str, rng: random.Random) -> list[int]:
        """Return the ids of a word's subwords: of the pairs not left out, the one that was learned first is joined."""
        parts = list(word)
        while True:
            pairs = enumerate(pairwise(parts))
            found = [(self.ranks[pair], i) for i, pair in pairs if pair in self.ranks and rng.random() >= self.share]
            if not found:
                return [self.ids[part] for part in parts]
            _, i = min(found)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
