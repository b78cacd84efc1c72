"""The phrasebook: English sentences with their German translations and word alignments.

A small grammar of both languages made the 20,500 pairs. They show what makes translation more than
a dictionary: gender and case, words in another order, verbs in two pieces.
"""

from __future__ import annotations

from collections import Counter

from ..text import word_spans
from .data_set import SentencePair
from .shipped import check_sizes, read_pairs, shuffled

MIN_COUNT = 10  # how often training must have a word before a held-out sentence may use it


def split(
    n_train: int = 20_000, n_held_out: int = 500, *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return pairs to train on and held-out pairs; no sentence of either language is in both.

    A pair is held out only if the training part has each of its words ten times or more. If there
    are too few such pairs, once is enough, and then never. English words are compared without
    regard to capitals.

    Arguments:
        n_train: how many pairs to train on
        n_held_out: how many pairs are held out
        seed: which pairs are taken, and which of them are held out; there are no others

    Raises `InputError` when there are not so many pairs.

    >>> train, held_out = split()
    >>> len(train), len(held_out), held_out[0].source, held_out[0].target
    (20000, 500, 'Must the child buy this pear?', 'Muss das Kind diese Birne kaufen?')
    """
    all_pairs = read_pairs("phrasebook")
    check_sizes("phrasebook", (n_train, n_held_out), len(all_pairs))
    pairs = shuffled(all_pairs, seed)[: n_train + n_held_out]

    words = [_words_of(pair) for pair in pairs]
    counts: Counter[str] = Counter()
    for words_of_pair in words:
        counts.update(words_of_pair)

    held_out: dict[int, SentencePair] = {}
    for min_count in (MIN_COUNT, 1, 0):
        for i, pair in enumerate(pairs):
            if len(held_out) == n_held_out:
                break
            if i in held_out or not all(counts[word] > min_count for word in words[i]):
                continue
            held_out[i] = pair
            # training has the words of this pair once less
            counts.subtract(words[i])

    train = [pair for i, pair in enumerate(pairs) if i not in held_out]
    return train, list(held_out.values())


def split_english(*, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return the English of both parts of `split`, each as one document, a sentence a line."""
    train, held_out = split(seed=seed)
    train_text = "".join(f"{pair.source}\n" for pair in train)
    held_out_text = "".join(f"{pair.source}\n" for pair in held_out)
    return [train_text], [held_out_text]


def _words_of(pair: SentencePair) -> set[str]:
    """Return the words of a pair, the German ones with a prefix."""
    source = pair.source.lower()
    words = {source[start:end] for start, end in word_spans(source)}
    for start, end in word_spans(pair.target):
        # the same letters may be a word of either language, such as "die"
        words.add("de:" + pair.target[start:end])
    return words
