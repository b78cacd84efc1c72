"""The data sets that ship as files inside the package, and the order in which a seed reads them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..utils.errors import InputError
from ..utils.files import read_lines
from .data_set import SentencePair

FOLDER = Path(__file__).parent / "files"

Row = TypeVar("Row")


@cache
def read_rows(name: str) -> tuple[tuple[str, ...], ...]:
    """Return the rows of a shipped file, each a tuple of its columns."""
    # tuples, because a caller could change the lists of a cached result
    lines = read_lines(FOLDER / f"{name}.tsv.gz")
    return tuple(tuple(line.split("\t")) for line in lines)


@cache
def read_pairs(name: str) -> tuple[SentencePair, ...]:
    """Return the pairs of a shipped file: source, target and perhaps the alignment."""
    pairs = []
    for source, target, *alignment in read_rows(name):
        links = []
        for link in " ".join(alignment).split():
            i, j = link.split("-")
            links.append((int(i), int(j)))
        pairs.append(SentencePair(source, target, tuple(links)))
    return tuple(pairs)


def shuffled(rows: Sequence[Row], seed: int) -> list[Row]:
    """Return the rows in the random order of a seed.

    >>> shuffled("abcdef", seed=1)
    ['e', 'a', 'c', 'b', 'f', 'd']
    """
    order = np.random.default_rng(seed).permutation(len(rows))
    return [rows[i] for i in order]


def check_sizes(name: str, sizes: Sequence[int], n_rows: int) -> None:
    """Raise `InputError` when parts of these sizes cannot be taken from a file of n rows."""
    if min(sizes) < 0 or sum(sizes) > n_rows:
        given = " + ".join(f"{size:,}" for size in sizes)
        raise InputError(
            f"{name} was asked for {given} examples: expected no negative number, and at most "
            f"{n_rows:,} in all"
        )
