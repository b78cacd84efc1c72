"""Spotting mistakes in German: sentences, half of them right, half with one planted mistake.

The classes are "right" and the kinds of mistake, here each with a wrong sentence and what it should
be:

    gender       Das Mann schläft.                  Der Mann schläft.
    adjective    Er hat einen alte Hund.            Er hat einen alten Hund.
    verb_second  Heute der Mann will schlafen.      Heute will der Mann schlafen.
    verb_last    Sie schläft, weil sie ist müde.    Sie schläft, weil sie müde ist.
    prefix       Er aufsteht um sieben.             Er steht um sieben auf.
    case         Sie spielt mit den Hund.           Sie spielt mit dem Hund.

A model has to look at several words together. A moved verb leaves every word of its sentence as it
was, so a bag of words can tell neither verb_second nor most of verb_last from "right". An article
is wrong next to its noun alone, an adjective's ending next to article, noun and case, which may be
words away; a joined "aufsteht" is wrong in a main clause and right after "dass".
"""

from __future__ import annotations

from collections import Counter

from .data_set import LabeledText
from .shipped import check_sizes, read_rows, shuffled

RIGHT = "right"
KINDS = (
    "gender",
    "adjective",
    "verb_second",
    "verb_last",
    "prefix",
    "case",
)


def split(
    n_train: int = 20_000, n_held_out: int = 1000, n_test: int = 1000, *, seed: int = 0
) -> tuple[list[LabeledText], list[LabeledText], list[LabeledText]]:
    """Return texts to train on, held-out texts and texts for the final score.

    Half of each part are right, and the kinds share the other half evenly. All texts of the three
    parts come from different right sentences.

    Arguments:
        n_train: how many texts to train on
        n_held_out: how many texts are held out
        n_test: how many texts are for the final score
        seed: which texts are in which part; there are no others

    Raises `InputError` when there are not so many texts.

    >>> train, held_out, test = split(2, 1, 0)
    >>> sorted(label for label, _ in train), test
    (['gender', 'right'], [])
    """
    all_rows = read_rows("mistakes")
    check_sizes("mistakes", (n_train, n_held_out, n_test), len(all_rows))
    texts = [LabeledText(label, text) for label, text in shuffled(all_rows, seed)]

    parts = []
    # the test comes first, so that n_train does not change it
    for size in (n_test, n_held_out, n_train):
        part, texts = _take(texts, size)
        parts.append(part)
    test, held_out, train = parts
    return train, held_out, test


def _take(texts: list[LabeledText], size: int) -> tuple[list[LabeledText], list[LabeledText]]:
    """Return the first texts that make a part of this size, and the rest."""
    needed: Counter[str] = Counter()
    for i in range(size):
        if i % 2 == 0:
            needed[KINDS[i // 2 % len(KINDS)]] += 1
        else:
            needed[RIGHT] += 1

    taken = []
    rest = []
    for text in texts:
        if needed[text.label] > 0:
            needed[text.label] -= 1
            taken.append(text)
        else:
            rest.append(text)

    # near the end of the file a class may have one text too few
    n_missing = size - len(taken)
    return taken + rest[:n_missing], rest[n_missing:]
