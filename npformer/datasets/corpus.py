"""A corpus: sentence pairs to train on and pairs held out, by the name of a data set or from two files."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np

from ..base.errors import InputError
from ..base.files import read_lines
from . import dates, phrasebook, sequences
from .pair import SentencePair

UNITS = {"phrasebook": "words", "dates": "characters", "copy": "words", "reverse": "words", "sort": "words"}
NAMES = tuple(UNITS)


class Corpus(NamedTuple):
    """Pairs for training, pairs that training never sees, and where a data set has them, pairs for the final score."""

    train: list[SentencePair]
    held_out: list[SentencePair]
    test: list[SentencePair] | None = None


def made(name: str, *, seed: int = 0) -> Corpus:
    """Return a data set that our own code makes: phrasebook, dates, copy, reverse or sort.

    >>> corpus = made("reverse")
    >>> len(corpus.train), len(corpus.held_out)
    (10000, 500)
    """
    if name == "phrasebook":
        return Corpus(*phrasebook.split(seed=seed))
    if name == "dates":
        return Corpus(*dates.split(seed=seed))
    if name in sequences.ORDERS:
        return Corpus(*sequences.split(name, seed=seed))
    raise InputError(f"data set {name!r} is unknown: expected one of {', '.join(NAMES)}")


def read_pairs(src: str | os.PathLike, tgt: str | os.PathLike) -> list[SentencePair]:
    """Return the pairs of two line-aligned UTF-8 files, plain or .gz, without white space around the sentences.

    Raises `InputError` when a file cannot be read, is empty, or has another number of lines than the other.
    """
    sources, targets = read_lines(src), read_lines(tgt)
    if len(sources) != len(targets):
        raise InputError(
            f"{src} has {len(sources)} lines and {tgt} has {len(targets)}: expected line-aligned files, "
            "line n of one translating line n of the other"
        )
    if not sources:
        raise InputError(f"{src} and {tgt} are empty: expected a sentence a line")
    return [SentencePair(source.strip(), target.strip()) for source, target in zip(sources, targets, strict=True)]


def hold_out(pairs: list[SentencePair], *, seed: int = 0, share: float = 0.02, most: int = 1000) -> Corpus:
    """Set a random share of pairs aside, one at least and `most` at most.

    Raises `InputError` when there are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise InputError(
            f"there is {len(pairs)} sentence pair: expected two at least, to train on one and hold one out"
        )
    n_held_out = min(max(round(share * len(pairs)), 1), most)
    order = np.random.default_rng(seed).permutation(len(pairs))
    held_out = set(order[:n_held_out].tolist())
    train = [pair for i, pair in enumerate(pairs) if i not in held_out]
    return Corpus(train, [pairs[i] for i in order[:n_held_out]])
