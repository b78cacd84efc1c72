"""Holding out labeled texts so that each class gives its share, and no text is on both sides."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from ..utils.errors import InputError
from .data_set import LabeledText

Split = tuple[list[LabeledText], list[LabeledText]]  # to train on, and held out


def hold_out(texts: Sequence[LabeledText], n: int, *, rank: Callable[[str], Any]) -> Split:
    """Return texts to train on, and about n held out: of each class its share.

    All copies of a text go the same way. A text that has two labels is trained on, and so is one
    with more copies than its class still has to hold out. Each class keeps a text to train on, and
    both parts keep the order.

    Arguments:
        texts: all texts
        n: how many to hold out
        rank: of a text; of each class, those of the lowest rank are held out

    Raises `InputError` where nothing can be held out, because no class has two different texts, one
    of them under its label alone.

    >>> texts = [LabeledText(label, f"{label}{i}") for i in range(4) for label in ("yes", "no")]
    >>> [text for label, text in hold_out(texts, 4, rank=lambda text: text[-1])[1]]
    ['yes0', 'no0', 'yes1', 'no1']
    """
    sizes = Counter(labeled.label for labeled in texts)
    copies = Counter(labeled.text for labeled in texts)
    labels_of = defaultdict(set)
    for label, text in texts:
        labels_of[text].add(label)

    by_class = defaultdict(list)
    for text in sorted(labels_of, key=rank):
        # sorted, because the order of a set of strings differs between processes
        for label in sorted(labels_of[text]):
            by_class[label].append(text)

    held_out: set[str] = set()
    largest: list[str] = []
    for label, ranked in by_class.items():
        # a text with two labels has no single correct class
        of_one_label = [text for text in ranked if len(labels_of[text]) == 1]
        free = of_one_label[: len(ranked) - 1]  # one is left to train on
        held_out.update(_fitting(free, copies, round(n * sizes[label] / len(texts))))
        # where every share is rounded to 0, one text of this class is held out
        if len(free) > len(largest):
            largest = free

    if not held_out:
        if not largest:
            raise InputError(
                f"of {len(texts)} texts none can be held out: expected two different texts of a "
                "class, one of them under its label alone (a label comes before its text)"
            )
        held_out.add(largest[0])

    train = []
    valid = []
    for labeled in texts:
        if labeled.text in held_out:
            valid.append(labeled)
        else:
            train.append(labeled)
    return train, valid


def _fitting(texts: Sequence[str], copies: Counter[str], room: int) -> list[str]:
    """Return the first texts that have, with all their copies, room.

    >>> _fitting(["a", "b", "c"], Counter(a=2, b=3, c=1), 4)
    ['a', 'c']
    """
    fitting = []
    for text in texts:
        if copies[text] <= room:
            fitting.append(text)
            room -= copies[text]
    return fitting


def fixed_hold_out(texts: Sequence[LabeledText]) -> Split:
    """Hold out the texts of lowest sha256 of each class, 5 % in all.

    They are the same for every seed of a run. For data sets that were published without a held-out
    part.
    """
    n_held_out = round(0.05 * len(texts))
    return hold_out(texts, n_held_out, rank=lambda text: sha256(text.encode("utf-8")).digest())


def load_parts(
    parts: Sequence[str], rows: Callable[[str], Sequence[LabeledText]]
) -> list[list[LabeledText]]:
    """Return the parts asked for of a set that was published as rows("train") and rows("test")."""
    examples: dict[str, list[LabeledText]] = {}
    if "test" in parts:
        examples["test"] = list(rows("test"))
    if "train" in parts or "held_out" in parts:
        examples["train"], examples["held_out"] = fixed_hold_out(rows("train"))
    return [examples[part] for part in parts]


def random_hold_out(
    texts: Sequence[LabeledText], *, seed: int, share: float = 0.02, most: int = 1000
) -> Split:
    """Hold out a random share of the texts, one at least and `most` at most."""
    ranks = np.random.default_rng(seed).permutation(len(texts)).tolist()
    rank_of = {}
    for labeled, rank in zip(texts, ranks, strict=True):
        # by text, so that all copies have one rank
        rank_of[labeled.text] = rank

    n_held_out = min(max(round(share * len(texts)), 1), most)
    return hold_out(texts, n_held_out, rank=rank_of.__getitem__)
