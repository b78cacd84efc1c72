"""The German sentences of notebooks 28b and 28c.

There are 8,000 to train on, 500 held out and 1,000 for the final score.
"""

from __future__ import annotations

from pathlib import Path

from npformer.datasets import LabeledText
from npformer.utils.files import read_lines

FILE = Path(__file__).with_suffix(".tsv.gz")


def read_parts() -> tuple[list[LabeledText], list[LabeledText], list[LabeledText]]:
    """Return the texts to train on, the held-out ones and those for the final score."""
    parts: dict[str, list[LabeledText]] = {"train": [], "held_out": [], "test": []}
    for line in read_lines(FILE):
        part, label, text = line.split("\t")
        parts[part].append(LabeledText(label, text))
    return parts["train"], parts["held_out"], parts["test"]
