"""Write the generated data sets as text files. One sentence per line, with alignments as i-j or with its label."""

from collections.abc import Sequence
from pathlib import Path

from .. import datasets
from ..utils import make_folder, write_atomic
from .options import file_name, number

PARTS = ("train", "held_out")


def add_options(parser) -> None:
    """Add the options."""
    names = f"some of {', '.join(_generated())} (default: all)"
    parser.add_argument("names", nargs="*", choices=_generated(), metavar="NAME", help=names)
    out = "folder to write below (default made-data)"
    parser.add_argument("--out", type=file_name, default="made-data", metavar="DIR", help=out)
    parser.add_argument("--lines", type=number(least=1), metavar="N", help="at most N lines a file (default: all)")


def _generated() -> list[str]:
    """Return the names of the data sets that our own code makes."""
    return [name for name, data in datasets.table().items() if data.made]


def run(options) -> int:
    """Write the data sets that are named (all without any) below a folder."""
    for name in options.names or _generated():
        for path, text in data_files(name, lines=options.lines).items():
            target = Path(options.out) / path
            make_folder(target.parent)
            write_atomic(target, text)
            print(target)
    return 0


def data_files(name: str, *, lines: int | None = None) -> dict[str, str]:
    """Return a data set's files by their paths, at most `lines` each, as its task reads them.

    They are sources, targets and, where known, alignments (`.align`), or labeled texts (`.tsv`), or text (`.txt`).
    """
    data, files = datasets.find(name), {}
    for part, examples in zip(PARTS, data.load(*PARTS), strict=True):
        for ending, column in _columns(data, examples).items():
            files[f"{name}/{part}.{ending}"] = "".join(f"{line}\n" for line in column[:lines])
    return files


def _columns(data: datasets.DataSet, examples: Sequence) -> dict[str, list[str]]:
    """Return the lines of each file by its ending."""
    if data.task == "classification":
        return {"tsv": [f"{label}\t{text}" for label, text in examples]}
    if data.task == "language_model":
        return {"txt": [line for document in examples for line in document.splitlines()]}
    source, target = data.languages
    columns = {source: [pair.source for pair in examples], target: [pair.target for pair in examples]}
    if any(pair.alignment for pair in examples):
        columns["align"] = [pair.pharaoh for pair in examples]
    return columns
