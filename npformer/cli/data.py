"""`npformer data`: write the data sets that our own code makes, for people to read."""

from __future__ import annotations

from pathlib import Path

from ..base.errors import InputError
from ..base.files import make_folder, write_whole
from ..datasets import SentencePair, corpus
from .parser import file_name, sentence, whole_number

DESCRIPTION = "Write the made data sets as text, one sentence a line, with word alignments in the i-j format."
USAGE = "[options] [NAME ...]"
LANGUAGES = {"phrasebook": ("en", "de")}


def add_options(parser) -> None:
    """Add what may be said."""
    names = f"some of {', '.join(corpus.NAMES)} (default: all)"
    parser.add_argument("names", nargs="*", default=[], type=sentence, metavar="NAME", help=names)
    out = "folder to write below (default data)"
    parser.add_argument("--out", type=file_name, default="data", metavar="DIR", help=out)
    parser.add_argument("--seed", type=whole_number(0), default=0, help="seed of the data (default 0)")
    parser.add_argument("--lines", type=whole_number(1), metavar="N", help="at most N lines a file (default: all)")


def run(options) -> int:
    """Write the data sets named (all without any) below a folder."""
    if unknown := set(options.names) - set(corpus.NAMES):
        raise InputError(f"data set {sorted(unknown)[0]!r} is unknown: expected some of {', '.join(corpus.NAMES)}")
    for name in options.names or corpus.NAMES:
        for path, text in data_files(name, seed=options.seed, lines=options.lines).items():
            target = Path(options.out) / path
            make_folder(target.parent)
            write_whole(target, text)
            print(target)
    return 0


def data_files(name: str, *, seed: int = 0, lines: int | None = None) -> dict[str, str]:
    """Return every file of a data set, by its path, with at most `lines` lines of training text."""
    made = corpus.made(name, seed=seed)
    return texts(name, made.train[:lines], "train") | texts(name, made.held_out[:lines], "held_out")


def texts(name: str, pairs: list[SentencePair], part: str) -> dict[str, str]:
    """Return the files of one part of a data set: source lines, target lines and, where known, alignments."""
    source, target = LANGUAGES.get(name, ("src", "tgt"))
    columns = {source: [pair.source for pair in pairs], target: [pair.target for pair in pairs]}
    if any(pair.alignment for pair in pairs):
        columns["align"] = [pair.pharaoh for pair in pairs]
    return {f"{name}/{part}.{ending}": "".join(f"{line}\n" for line in lines) for ending, lines in columns.items()}
