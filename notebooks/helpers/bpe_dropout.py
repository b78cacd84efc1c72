"""BPE-dropout: sentences whose words are cut into other subwords in each epoch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from npformer.text import BPEVocabulary


class BPEDropout:
    """Sentences whose words are cut again in each epoch, with some merges left out at random.

    Provilkov et al. 2020. An epoch's cuts depend on the seed and its number alone.

    Arguments:
        vocabulary: the subwords and their merges
        lines: the sentences
        p: the probability with which a merge that could be made is left out; 0.1 in the paper
        seed: of the random numbers
    """

    def __init__(self, vocabulary: BPEVocabulary, lines: Sequence[str], *, p: float, seed: int = 0):
        self.ids = {token: i for i, token in enumerate(vocabulary.coded_tokens)}
        self.ranks = {merge: rank for rank, merge in enumerate(vocabulary.merges)}
        self.sentences = [vocabulary.words(line) for line in lines]
        self.p = p
        self.seed = seed

    def epoch(self, number: int) -> list[list[int]]:
        """Return the ids of all sentences as one epoch reads them."""
        # a generator of its own, so that an epoch does not depend on those before it
        rng = random.Random(f"{self.seed} {number}")
        epoch = []
        for words in self.sentences:
            ids = []
            for word in words:
                ids += self.cut(word, rng)
            epoch.append(ids)
        return epoch

    def cut(self, word: str, rng: random.Random) -> list[int]:
        """Return the ids of a word's subwords.

        Of the possible merges that are not left out, the earliest in the vocabulary is made first.
        """
        tokens = list(word)
        while True:
            # in every round, each merge that could be made is drawn again
            possible = []
            for i, pair in enumerate(pairwise(tokens)):
                if pair in self.ranks and rng.random() >= self.p:
                    possible.append((self.ranks[pair], i))
            if not possible:
                return [self.ids[token] for token in tokens]
            _, i = min(possible)
            tokens[i : i + 2] = [tokens[i] + tokens[i + 1]]
