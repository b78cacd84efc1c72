"""The data set of one's own labelled texts: a file with a label, a tab and a text a line."""

from __future__ import annotations

import os
from collections.abc import Collection

from ..utils.errors import InputError
from ..utils.files import read_lines
from .data_set import DataSet
from .labelled_text import LabelledText
from .stratified import random_hold_out


def from_tsv(train: str | os.PathLike, valid: str | os.PathLike | None = None) -> DataSet:
    """Return the data set of labelled texts; where no file is given to hold out, a random 2 % of each class is.

    Loading it raises `InputError` for a line that is no labelled text, for a training file with a single label, and,
    where both parts are loaded, for a held-out label that training never has.
    """

    def read(parts, direction, seed):
        if valid is not None and "train" not in parts:
            return [read_labelled(valid) for _ in parts]
        texts = read_labelled(train)
        labels = {labelled.label for labelled in texts}
        if len(labels) < 2:
            raise InputError(f"{train} has no other label than {min(labels)!r}: expected two or more to tell apart")
        if valid is not None:
            return [texts if part == "train" else read_labelled(valid, known=labels) for part in parts]
        split = random_hold_out(texts, seed=seed)
        return [split[("train", "held_out").index(part)] for part in parts]

    return DataSet(name="run", recipe="texts", task="classification", read=read)


def read_labelled(path: str | os.PathLike, *, known: Collection[str] | None = None) -> list[LabelledText]:
    """Return the texts of a UTF-8 file, plain or .gz, without white space around them.

    Raises `InputError`, which names the line, where a line has no tab, no label or no text, or a label that is not
    among those known; and when the file cannot be read or is empty.
    """
    texts = [_labelled(line, f"{path}, line {number}") for number, line in enumerate(read_lines(path), start=1)]
    if not texts:
        raise InputError(f"{path} is empty: expected a label, a tab and a text a line")
    for number, (label, _) in enumerate(texts, start=1):
        if known is not None and label not in known:
            some = ", ".join(sorted(known)[:10]) + (", ..." if len(known) > 10 else "")
            raise InputError(f"{path}, line {number}: the label {label!r} is never seen in training, which has {some}")
    return texts


def _labelled(line: str, where: str) -> LabelledText:
    label, tab, text = line.partition("\t")
    labelled = LabelledText(label.strip(), text.strip())
    missing = "tab" if not tab else "label" if not labelled.label else "text"
    if not all((tab, *labelled)):
        raise InputError(f"{where} has no {missing}: expected a label, a tab and a text")
    return labelled
