"""What a student hands in: the code of a .py or .ipynb file, and the letter of the prediction."""

from __future__ import annotations

import re
from pathlib import Path

from ..base.errors import InputError
from ..base.files import read_json, read_text
from . import course

SUFFIXES = (".py", ".ipynb")
PREDICTED = re.compile(r"""^prediction *= *(?P<mark>["'])(?P<letter>\w*)(?P=mark)""", re.MULTILINE)


def answer_in(folder: Path, id: str) -> Path | None:
    """Return the file in a folder that answers an exercise, where there is one."""
    names = [folder / f"{course.stem(id)}{suffix}" for suffix in SUFFIXES]
    return next((name for name in names if name.is_file()), None)


def code_of(path: Path) -> str:
    """Return the code of an answer. Raises `InputError` where the file cannot be read or holds no notebook."""
    if path.suffix != ".ipynb":
        return read_text(path)
    cells = read_json(path).get("cells")
    if not isinstance(cells, list):
        raise InputError(f"{path} is no notebook: expected an object with cells")
    sources = [
        "".join(cell.get("source", "")) for cell in cells if isinstance(cell, dict) and cell.get("cell_type") == "code"
    ]
    return "\n\n".join(without_commands(source) for source in sources) + "\n"


def without_commands(source: str) -> str:
    r"""Return the code of a cell less what is Jupyter's or asks for a check: it is Python for a child.

    >>> without_commands("%matplotlib inline\nx = 1\nq('softmax').check()")
    '\nx = 1\n'
    """
    if source.startswith("%%"):
        return ""
    lines = source.split("\n")
    return "\n".join("" if line.lstrip().startswith(("%", "!", "q(")) else line for line in lines)


def prediction_of(code: str) -> str:
    """Return the letter that `prediction` was set to, or nothing.

    >>> prediction_of('prediction = "b"')
    'b'
    """
    found = PREDICTED.search(code)
    return found["letter"].lower() if found else ""
