"""Right and wrong sentences that differ in nothing but the mistake, divided into three parts.

What a mistake is planted in and what stays right come out of one pool: for each kind, sentences that can bear its
mistake are drawn, all different; half of them, by lot, get it. So the right sentences have the same constructions,
verbs and nouns as the wrong ones had, and no sentence is met both right and wrong.
"""

from collections import Counter
from functools import cache
from random import Random

from npformer.datasets import LabeledText

from ..phrasebook.sentence_sampler import SentenceSampler
from .sentence_with_mistake import KINDS, RIGHT, GermanSentence

LISTENED_TO = 5000  # right sentences from which the words are known that a mistake may be made of
SEEN_OFTEN = 5


def split(
    n_train: int = 20_000, n_held_out: int = 1000, n_test: int = 1000, *, seed: int = 0
) -> tuple[list[LabeledText], list[LabeledText], list[LabeledText]]:
    """Draw texts to train on, texts that are held out and texts for the final score, all different.

    Half of each part are right, and the kinds share the other half evenly. No two texts of the three parts come from
    the same right sentence.

    >>> train, held_out, test = split(2, 1, 0)
    >>> sorted(label for label, _ in train), test
    (['gender', 'right'], [])
    """
    sizes = (n_train, n_held_out, n_test)
    kinds = list(KINDS)
    plans = [[(kinds[i // 2 % len(kinds)], i % 2 == 0) for i in range(size)] for size in sizes]
    rng = Random(seed)
    pools = draw_pairs(Counter(kind for plan in plans for kind, _ in plan), rng)
    parts = []
    for plan in plans:
        samples = [(kind, planted, *pools[kind].pop()) for kind, planted in plan]
        part = [
            LabeledText(*((kind, bad) if planted else (RIGHT, good)))
            for kind, planted, good, bad in samples
        ]
        rng.shuffle(part)
        parts.append(part)
    return tuple(parts)


def draw_pairs(needs: Counter, rng: Random) -> dict[str, list[tuple[str, str]]]:
    """Draw as many pairs of each kind as it needs: a right sentence, and the same with a mistake, in random order."""
    sampler, known = SentenceSampler(rng), known_words()
    pools, met = {kind: [] for kind in needs}, set()
    while needs := +needs:
        sentence = GermanSentence(sampler.sample_meaning())
        for (
            kind,
            _,
        ) in (
            needs.most_common()
        ):  # lest a kind that many sentences can bear takes them from one that few can
            ways = [bad for bad in sentence.wrong(kind) if known.keys() >= words_of(bad)]
            if ways and (good := sentence.right()) not in met:
                bad = rng.choices(ways, [_find_rarest(way, good, known) for way in ways])[0]
                if bad in met:
                    continue
                met |= {good, bad}
                pools[kind].append((good, bad))
                needs[kind] -= 1
                break
    for pool in pools.values():
        rng.shuffle(pool)
    return pools


@cache
def known_words() -> Counter:
    """Count the words of right sentences, those that are seen often, lest a rare word gives a mistake away."""
    sampler = SentenceSampler(Random(0))
    counts = Counter(
        word
        for _ in range(LISTENED_TO)
        for word in words_of(GermanSentence(sampler.sample_meaning()).right())
    )
    return Counter({word: count for word, count in counts.items() if count >= SEEN_OFTEN})


def _find_rarest(bad: str, good: str, known: Counter) -> int:
    """Return how often right sentences have the rarest of the words that a wrong one has and its right one has not."""
    return min((known[word] for word in words_of(bad) - words_of(good)), default=LISTENED_TO)


def words_of(text: str) -> set[str]:
    """Find the words of a text."""
    return set(text.replace(",", "").rstrip(".?").split())
