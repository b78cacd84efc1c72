"""`npformer data`: write the data sets that our own code makes, for people to read."""

from __future__ import annotations

from pathlib import Path

from .. import datasets
from ..base.errors import InputError
from ..base.files import make_folder, write_whole
from ..datasets import SentencePair


def texts(name: str, pairs: list[SentencePair], part: str) -> dict[str, str]:
    """Return the files of one part of a data set: source lines, target lines and, where known, alignments."""
    source, target = datasets.find(name).languages
    columns = {source: [pair.source for pair in pairs], target: [pair.target for pair in pairs]}
    if any(pair.alignment for pair in pairs):
        columns["align"] = [pair.pharaoh for pair in pairs]
    return {f"{name}/{part}.{ending}": "".join(f"{line}\n" for line in lines) for ending, lines in columns.items()}


def data_files(name: str, *, seed: int = 0, lines: int | None = None) -> dict[str, str]:
    """Return every file of a data set, by its path, with at most `lines` lines of training text."""
    train, held_out = datasets.find(name).load("train", "held_out", seed=seed)
    return texts(name, train[:lines], "train") | texts(name, held_out[:lines], "held_out")


def data(names: list[str], *, out: str, seed: int, lines: int | None) -> int:
    """Write the data sets named (all without any) below the folder `out`."""
    made = [name for name, data in datasets.table().items() if data.made]
    if unknown := set(names) - set(made):
        raise InputError(f"data set {sorted(unknown)[0]!r} is unknown: expected some of {', '.join(made)}")
    for name in names or made:
        for path, text in data_files(name, seed=seed, lines=lines).items():
            target = Path(out) / path
            make_folder(target.parent)
            write_whole(target, text)
            print(target)
    return 0
