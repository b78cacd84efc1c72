"""The data set of two files that translate each other line by line."""

from __future__ import annotations

import os

import numpy as np

from ..utils.errors import InputError
from ..utils.files import read_lines
from .data_set import DataSet
from .sentence_pair import SentencePair


def from_files(
    src: str | os.PathLike,
    tgt: str | os.PathLike,
    valid_src: str | os.PathLike | None = None,
    valid_tgt: str | os.PathLike | None = None,
) -> DataSet:
    """Return the data set of line-aligned files; where none are given to hold out, a random 2 % of the pairs are."""

    def read(parts, direction, seed):
        if valid_src is not None:
            files = {"train": (src, tgt), "held_out": (valid_src, valid_tgt)}
            return [read_pairs(*files[part]) for part in parts]
        split = hold_out(read_pairs(src, tgt), seed=seed)
        return [split[("train", "held_out").index(part)] for part in parts]

    return DataSet(name="run", recipe="small", read=read)


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


def hold_out(
    pairs: list[SentencePair], *, seed: int = 0, share: float = 0.02, most: int = 1000
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return pairs to train on, and a random share of all set aside, one at least and `most` at most.

    Of what is set aside no copy is trained on. Raises `InputError` when there are fewer than two different pairs.
    """
    if len(set(pairs)) < 2:
        different = "sentence pair" if len(pairs) < 2 else "different sentence pair"
        raise InputError(
            f"there is {len(set(pairs))} {different}: expected two at least, to train on one and hold one out"
        )
    n_held_out = min(max(round(share * len(pairs)), 1), most)
    order = np.random.default_rng(seed).permutation(len(pairs))
    held_out = [pairs[i] for i in order[:n_held_out]]
    set_aside = set(held_out)
    train = [pair for pair in pairs if pair not in set_aside]
    if not train:
        raise InputError(
            f"of {len(pairs)} sentence pairs none but copies of {n_held_out} held out are left to train on"
        )
    return train, held_out
