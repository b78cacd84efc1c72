"""Write the data sets that ship with npformer.

    python data/generate.py [--into FOLDER] [NAME ...]

The files are those in npformer/datasets/files/ and notebooks/helpers/. They take a minute, and a
test compares them with what is there. `python data/write.py` then writes the parts of them that
people read.
"""

import argparse
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from generators import dates, mistakes, phrasebook

from npformer.datasets import SentencePair
from npformer.utils import make_folder, write_atomic

ROOT = Path(__file__).parents[1]
N_PAIRS = 20_500


def phrasebook_rows() -> list[str]:
    """Return the rows of the phrasebook: English, German and alignment."""
    pairs = phrasebook.pairs(N_PAIRS)
    return in_order_of_file([f"{pair.source}\t{pair.target}\t{pair.pharaoh}" for pair in pairs])


def date_rows() -> list[str]:
    """Return the rows of the dates: as they are written, and in ISO 8601."""
    pairs: list[SentencePair] = dates.pairs(N_PAIRS)
    return in_order_of_file([f"{pair.source}\t{pair.target}" for pair in pairs])


def mistake_rows() -> list[str]:
    """Return the rows of the mistakes: label and text."""
    train, held_out, test = mistakes.split()
    return in_order_of_file([f"{label}\t{text}" for label, text in test + held_out + train])


def few_mistake_rows() -> list[str]:
    """Return the rows of the mistakes in the notebooks: part, label and text."""
    rows = []
    parts = mistakes.split(8000, 500, 1000)
    for name, part in zip(("train", "held_out", "test"), parts, strict=True):
        rows += [f"{name}\t{label}\t{text}" for label, text in part]
    return rows


def in_order_of_file(rows: Sequence[str]) -> list[str]:
    """Return rows in the order that the seed 0 of `npformer.datasets.shipped.shuffled` undoes.

    So with seed 0 the examples come in the order in which the generators made them.
    """
    order = np.random.default_rng(0).permutation(len(rows))
    in_file = [""] * len(rows)
    for place, row in zip(order, rows, strict=True):
        in_file[place] = row
    return in_file


FILES = {
    "phrasebook": ("npformer/datasets/files/phrasebook.tsv.gz", phrasebook_rows),
    "dates": ("npformer/datasets/files/dates.tsv.gz", date_rows),
    "mistakes": ("npformer/datasets/files/mistakes.tsv.gz", mistake_rows),
    "few_mistakes": ("notebooks/helpers/few_mistakes.tsv.gz", few_mistake_rows),
}


def main() -> None:
    """Read the command line and write the files."""
    parser = argparse.ArgumentParser(description="Write the data sets that ship with npformer.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(FILES)}")
    parser.add_argument("--into", type=Path, default=ROOT, metavar="FOLDER")
    options = parser.parse_args()

    for name in options.names:
        if name not in FILES:
            parser.error(f"{name} has no generator: choose from {', '.join(FILES)}")
    for name in options.names or FILES:
        path, make_rows = FILES[name]
        text = "".join(f"{row}\n" for row in make_rows())
        make_folder((options.into / path).parent)
        # without the time the same rows give the same bytes
        write_atomic(options.into / path, gzip.compress(text.encode("utf-8"), mtime=0))
        print(path)


if __name__ == "__main__":
    main()
