"""Write the generated data sets as files that people can read: at most 1,000 lines per file.

    python data/write.py [--into FOLDER] [NAME ...]

Without names it writes all of them, and without a folder it writes into data/ itself.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from npformer import datasets
from npformer.utils import make_folder, write_atomic

FOLDER = Path(__file__).parent
LINES = 1000
PARTS = ("train", "held_out")


def data_files(name: str) -> dict[str, str]:
    """Return the files of a data set by their paths."""
    data = datasets.get(name)
    files = {}
    for part, examples in zip(PARTS, data.load(*PARTS), strict=True):
        for ending, lines in columns_of(data, examples).items():
            text = "".join(f"{line}\n" for line in lines[:LINES])
            files[f"{name}/{part}.{ending}"] = text
    return files


def columns_of(data: datasets.DataSet, examples: Sequence[Any]) -> dict[str, list[str]]:
    """Return the lines of each file of a part: pairs and alignments, labels or text."""
    if data.task == "classification":
        return {"tsv": [f"{label}\t{text}" for label, text in examples]}
    if data.task == "language_model":
        return {"txt": "".join(examples).splitlines()}

    source, target = data.languages
    columns = {
        source: [pair.source for pair in examples],
        target: [pair.target for pair in examples],
    }
    if any(pair.alignment for pair in examples):
        columns["align"] = [pair.pharaoh for pair in examples]
    return columns


def write(names: list[str], folder: Path) -> None:
    """Write the files of some data sets into a folder, and print their paths."""
    for name in names:
        for path, text in data_files(name).items():
            make_folder((folder / path).parent)
            write_atomic(folder / path, text)
            print(path)


def main() -> None:
    """Read the command line and write the files."""
    generated = [name for name, data in datasets.registry().items() if data.is_synthetic]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(generated)}")
    parser.add_argument("--into", type=Path, default=FOLDER, metavar="FOLDER")
    options = parser.parse_args()

    for name in options.names:
        if name not in generated:
            parser.error(f"{name} is not a generated data set: choose from {', '.join(generated)}")
    write(options.names or generated, options.into)


if __name__ == "__main__":
    main()
