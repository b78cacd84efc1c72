"""Right and wrong sentences that differ in nothing but the mistake, divided into three parts.

The sentences with a mistake and the right ones come out of one pool: for each kind, sentences that
can have its mistake are drawn, all different, and a random half of them get it. So the right
sentences have the same constructions, verbs and nouns as the wrong ones had, and no sentence occurs
both right and wrong.
"""

from collections import Counter
from functools import cache
from random import Random

from npformer.datasets import LabeledText

from ..phrasebook.sentence_sampler import SentenceSampler
from .sentence_with_mistake import KINDS, RIGHT, GermanSentence

Pair = tuple[str, str]  # a right sentence, and the same with a mistake
Plan = list[tuple[str, bool]]  # kinds, and whether the mistake is made

N_COUNTED_SENTENCES = 5000  # in which the words are counted that a mistake may be made of
MIN_COUNT = 5


def split(
    n_train: int = 20_000, n_held_out: int = 1000, n_test: int = 1000, *, seed: int = 0
) -> tuple[list[LabeledText], list[LabeledText], list[LabeledText]]:
    """Draw texts to train on, texts that are held out and texts for the final score, all different.

    Half of each part are right, and the kinds share the other half evenly. No two texts of the
    three parts come from the same right sentence.

    >>> train, held_out, test = split(2, 1, 0)
    >>> sorted(label for label, _ in train), test
    (['gender', 'right'], [])
    """
    plans = [_plan(size) for size in (n_train, n_held_out, n_test)]
    needed: Counter[str] = Counter()
    for plan in plans:
        needed.update(kind for kind, _ in plan)

    rng = Random(seed)
    pools = draw_pairs(needed, rng)
    train, held_out, test = (_part(plan, pools, rng) for plan in plans)
    return train, held_out, test


def _plan(size: int) -> Plan:
    """Return which kinds a part needs, in turn with a mistake and without."""
    kinds = list(KINDS)
    return [(kinds[i // 2 % len(kinds)], i % 2 == 0) for i in range(size)]


def _part(plan: Plan, pools: dict[str, list[Pair]], rng: Random) -> list[LabeledText]:
    """Take the texts of a part out of the pools, and return them in random order."""
    part = []
    for kind, planted in plan:
        right, wrong = pools[kind].pop()
        if planted:
            part.append(LabeledText(kind, wrong))
        else:
            part.append(LabeledText(RIGHT, right))
    rng.shuffle(part)
    return part


def draw_pairs(needed: Counter[str], rng: Random) -> dict[str, list[Pair]]:
    """Draw as many pairs of each kind as it needs, in random order."""
    sampler = SentenceSampler(rng)
    known = known_words()
    pools: dict[str, list[Pair]] = {kind: [] for kind in needed}
    used: set[str] = set()

    needed = +needed
    while needed:
        sentence = GermanSentence(sampler.sample_meaning())

        # The kind that needs most comes first. Otherwise a kind that many sentences can have would
        # take them from one that few can have.
        for kind, _ in needed.most_common():
            ways = [wrong for wrong in sentence.wrong(kind) if known.keys() >= words_of(wrong)]
            right = sentence.right()
            if not ways or right in used:
                continue
            weights = [_rarest_count(wrong, right, known) for wrong in ways]
            wrong = rng.choices(ways, weights)[0]
            if wrong in used:
                continue
            used |= {right, wrong}
            pools[kind].append((right, wrong))
            needed[kind] -= 1
            break
        needed = +needed

    for pool in pools.values():
        rng.shuffle(pool)
    return pools


@cache
def known_words() -> Counter[str]:
    """Count the frequent words of right sentences: a rare word would give a mistake away."""
    sampler = SentenceSampler(Random(0))
    counts: Counter[str] = Counter()
    for _ in range(N_COUNTED_SENTENCES):
        counts.update(words_of(GermanSentence(sampler.sample_meaning()).right()))
    return Counter({word: count for word, count in counts.items() if count >= MIN_COUNT})


def _rarest_count(wrong: str, right: str, known: Counter[str]) -> int:
    """Return how often the rarest new word of a wrong sentence occurs in right sentences."""
    new_words = words_of(wrong) - words_of(right)
    return min((known[word] for word in new_words), default=N_COUNTED_SENTENCES)


def words_of(text: str) -> set[str]:
    """Find the words of a text."""
    return set(text.replace(",", "").rstrip(".?").split())
