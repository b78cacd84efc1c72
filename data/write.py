"""Write the generated data sets as files that people can read: at most 1,000 lines per file.

    python data/write.py [--into FOLDER] [NAME ...]

Without names it writes all of them, and without a folder it writes into data/ itself.
"""

import argparse
from pathlib import Path

from npformer import datasets
from npformer.utils import make_folder, write_atomic

FOLDER = Path(__file__).parent
LINES = 1000
PARTS = ("train", "held_out")


def data_files(name: str) -> dict[str, str]:
    """Return a data set's files by their paths: pairs, with alignments where known, or labels, or text."""
    data, files = datasets.find(name), {}
    for part, examples in zip(PARTS, data.load(*PARTS), strict=True):
        if data.task == "classification":
            columns = {"tsv": [f"{label}\t{text}" for label, text in examples]}
        elif data.task == "language_model":
            columns = {"txt": [line for document in examples for line in document.splitlines()]}
        else:
            source, target = data.languages
            columns = {
                source: [pair.source for pair in examples],
                target: [pair.target for pair in examples],
            }
            if any(pair.alignment for pair in examples):
                columns["align"] = [pair.pharaoh for pair in examples]
        for ending, lines in columns.items():
            files[f"{name}/{part}.{ending}"] = "".join(f"{line}\n" for line in lines[:LINES])
    return files


def write(names: list[str], folder: Path) -> None:
    """Write the files of some data sets into a folder, and print their paths."""
    for name in names:
        for path, text in data_files(name).items():
            make_folder((folder / path).parent)
            write_atomic(folder / path, text)
            print(path)


def main() -> None:
    """Read the command line and write the files."""
    generated = [name for name, data in datasets.table().items() if data.is_synthetic]
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
