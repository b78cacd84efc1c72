"""The data set of one's own text, to learn to write on."""

from __future__ import annotations

import os

from ..utils.errors import InputError, prefix_errors
from ..utils.files import read_text
from .data_set import DataSet


def from_text(path: str | os.PathLike, valid: str | os.PathLike | None = None) -> DataSet:
    """Return the data set of a text file, one document; where no file is given to hold out, its last tenth is.

    Loading it raises `InputError` for a text of which nothing can be learnt or held out.
    """

    def read(parts, direction, seed):
        if valid is not None:
            files = {"train": path, "held_out": valid}
            return [[read_document(files[part])] for part in parts]
        text = read_document(path)
        with prefix_errors(str(path)):
            split = first_nine_tenths(text)
        return [[split[("train", "held_out").index(part)]] for part in parts]

    return DataSet(name="run", recipe="tiny_text", task="language_model", unit="characters", read=read)


def read_document(path: str | os.PathLike) -> str:
    """Return the text of a UTF-8 file, plain or .gz, with line feeds alone at the ends of its lines.

    Raises `InputError` when it cannot be read, is empty or has one character alone, however often.
    """
    text = read_text(path).replace("\r\n", "\n")
    if not text.strip():
        raise InputError(f"{path} is empty: expected a text")
    if len(set(text.strip())) == 1:
        raise InputError(f"{path} has no other character than {text.strip()[0]!r}: expected a text")
    return text


def first_nine_tenths(text: str) -> tuple[str, str]:
    """Return the first int(0.9 n) characters of n, to train on, and the rest, held out.

    >>> first_nine_tenths("It is a very short text.")
    ('It is a very short te', 'xt.')

    Raises `InputError` where fewer than two characters would be held out, or a part would be blank.
    """
    cut = int(0.9 * len(text))
    if len(text) - cut < 2:
        raise InputError(
            f"a text of {len(text)} characters is too short to hold out its last tenth: expected 11 characters at least"
        )
    for part, name in ((text[:cut], "first nine tenths are"), (text[cut:], "last tenth, which is held out, is")):
        if not part.strip():
            raise InputError(f"the {name} blank: leave out what is empty, or give a file to hold out")
    return text[:cut], text[cut:]
