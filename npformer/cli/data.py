"""Write the generated data sets as text files. One sentence per line, with alignments as i-j or with its label."""

from pathlib import Path

from .. import datasets
from ..utils import InputError, make_folder, write_atomic
from .options import file_name, utf8_text, whole_number

PARTS = ("train", "held_out")
MADE = [name for name, data in datasets.table().items() if data.made]


def add_options(parser) -> None:
    """Add the options."""
    names = f"some of {', '.join(MADE)} (default: all)"
    parser.add_argument("names", nargs="*", default=[], type=utf8_text, metavar="NAME", help=names)
    out = "folder to write below (default made-data)"
    parser.add_argument("--out", type=file_name, default="made-data", metavar="DIR", help=out)
    parser.add_argument("--seed", type=whole_number(0), default=0, help="seed of the data (default 0)")
    parser.add_argument("--lines", type=whole_number(1), metavar="N", help="at most N lines a file (default: all)")


def run(options) -> int:
    """Write the data sets that are named (all without any) below a folder."""
    if unknown := set(options.names) - set(MADE):
        raise InputError(f"data set {sorted(unknown)[0]!r} is unknown: expected some of {', '.join(MADE)}")
    for name in options.names or MADE:
        for path, text in data_files(name, seed=options.seed, lines=options.lines).items():
            target = Path(options.out) / path
            make_folder(target.parent)
            write_atomic(target, text)
            print(target)
    return 0


def data_files(name: str, *, seed: int = 0, lines: int | None = None) -> dict[str, str]:
    """Return a data set's files by their paths, at most `lines` each, as its task reads them.

    They are sources, targets and, where known, alignments (`.align`), or labeled texts (`.tsv`), or text (`.txt`).
    """
    data, files = datasets.find(name), {}
    columns_of = {"translation": _pairs, "classification": _labeled, "language_model": _text}[data.task]
    for part, examples in zip(PARTS, data.load(*PARTS, seed=seed), strict=True):
        for ending, column in columns_of(data, examples, lines).items():
            files[f"{name}/{part}.{ending}"] = "".join(f"{line}\n" for line in column)
    return files


def _pairs(data: datasets.DataSet, pairs: list[datasets.SentencePair], lines: int | None) -> dict[str, list[str]]:
    source, target = data.languages
    shown = pairs[:lines]
    columns = {source: [pair.source for pair in shown], target: [pair.target for pair in shown]}
    if any(pair.alignment for pair in shown):
        columns["align"] = [pair.pharaoh for pair in shown]
    return columns


def _labeled(data: datasets.DataSet, texts: list[datasets.LabeledText], lines: int | None) -> dict[str, list[str]]:
    return {"tsv": [f"{label}\t{text}" for label, text in texts[:lines]]}


def _text(data: datasets.DataSet, documents: list[str], lines: int | None) -> dict[str, list[str]]:
    return {"txt": [line for document in documents for line in document.splitlines()][:lines]}
