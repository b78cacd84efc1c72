"""Many sentence pairs, all different."""

from random import Random

from npformer.datasets import SentencePair

from .sentence_sampler import SentenceSampler

MIN_WORDS = 3


def pairs(n: int, *, seed: int = 0) -> list[SentencePair]:
    """Draw n pairs with different English and different German sentences of three words or more.

    >>> pairs(2, seed=1) == pairs(3, seed=1)[:2]
    True
    """
    sampler = SentenceSampler(Random(seed))
    samples: list[SentencePair] = []
    sources: set[str] = set()
    targets: set[str] = set()
    while len(samples) < n:
        pair = sampler.sample()
        n_words = len(pair.source.split())
        if pair.source in sources or pair.target in targets or n_words < MIN_WORDS:
            continue
        sources.add(pair.source)
        targets.add(pair.target)
        samples.append(pair)
    return samples
