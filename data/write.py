"""Write the generated data sets into this folder again, at most 1,000 lines a file: python data/write.py [NAMES]."""

import sys
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


if __name__ == "__main__":
    for name in sys.argv[1:] or [name for name, data in datasets.table().items() if data.made]:
        for path, text in data_files(name).items():
            make_folder((FOLDER / path).parent)
            write_atomic(FOLDER / path, text)
            print(path)
