"""Many sentences, all different, and a fair division of them into a part to learn from and a part to be tested on."""

from collections import Counter
from random import Random

from ....text import word_spans
from ....utils.errors import InputError
from ...data_set import SentencePair
from .sentence_sampler import SentenceSampler

MOST = 500_000  # the grammar has many more, but to draw only new ones takes ever longer
SEEN_OFTEN = 10  # how often training must show a word before a held-out sentence may use it


def pairs(n: int, *, seed: int = 0) -> list[SentencePair]:
    """Draw n pairs with n different English and n different German sentences, of three words or more.

    >>> pairs(2, seed=1) == pairs(3, seed=1)[:2]
    True

    Raises `InputError` when n is negative or above `MOST`.
    """
    if not 0 <= n <= MOST:
        raise InputError(
            f"phrasebook was asked for {n:,} pairs: it gives 0 to {MOST:,} different ones. Ask for fewer."
        )
    sampler = SentenceSampler(Random(seed))
    samples: list[SentencePair] = []
    sources: set[str] = set()
    targets: set[str] = set()
    while len(samples) < n:
        pair = sampler.sample()
        if pair.source in sources or pair.target in targets or pair.source.count(" ") < 2:
            continue
        sources.add(pair.source)
        targets.add(pair.target)
        samples.append(pair)
    return samples


def split(
    n_train: int = 20_000, n_held_out: int = 500, *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Draw pairs to train on and pairs that are held out; no sentence of either language is in both.

    A pair is held out only if the training part has each of its words ten times or more; where so few pairs are drawn
    that there are not enough of these, the rule is loosened to once, then dropped. English words are compared
    without regard to capitals.

    Raises `InputError` when a number is negative or their sum above `MOST`.
    """
    if n_train < 0 or n_held_out < 0:
        raise InputError(
            f"phrasebook was asked for {n_train:,} and {n_held_out:,} pairs: neither may be negative."
        )
    samples = pairs(n_train + n_held_out, seed=seed)
    words = [
        {*words_of(pair.source.lower()), *("de:" + word for word in words_of(pair.target))}
        for pair in samples
    ]
    counts = Counter(word for sentence in words for word in sentence)
    held_out: dict[int, SentencePair] = {}
    for often in (SEEN_OFTEN, 1, 0):
        for i, sentence in enumerate(words):
            if len(held_out) == n_held_out:
                break
            if i not in held_out and all(counts[word] > often for word in sentence):
                held_out[i] = samples[i]
                counts.subtract(sentence)
    return [pair for i, pair in enumerate(samples) if i not in held_out], list(held_out.values())


def split_german(*, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return the German of both parts of `split`, each as one document with a sentence per line."""
    return tuple(["".join(f"{pair.target}\n" for pair in part)] for part in split(seed=seed))


def words_of(text: str) -> list[str]:
    """Find the words and punctuation marks of a text.

    >>> words_of("He sleeps, today.")
    ['He', 'sleeps', ',', 'today', '.']
    """
    return [text[start:end] for start, end in word_spans(text)]
