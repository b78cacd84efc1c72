"""The exercises of the course, in order."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path

from npformer.utils.errors import InputError

from .definition import Exercise, read_exercise

FOLDER = Path(__file__).parent / "exercises"


@cache
def paths() -> dict[str, Path]:
    """Return the file of each exercise by its id, in the order of the course."""
    # the id is the name without its number, which is the place in the course
    return {path.stem[3:]: path for path in sorted(FOLDER.glob("[0-9][0-9]_*.py"))}


def stem(id: str) -> str:
    """Return the name of an exercise's file without its ending, such as 03_softmax."""
    return paths()[id].stem


def ids() -> list[str]:
    """Return the ids in the order of the course."""
    return list(paths())


@cache
def load(id: str) -> Exercise:
    """Return an exercise by its id, its number, or both as in its file's name.

    Raises `InputError` for another name.

    >>> load("1").id == load("01").id
    True
    >>> load("15").id == load("15_layer_norm_backward").id == load("layer_norm_backward").id
    True
    """
    # exercise files are named 03_softmax.py
    wanted = id.zfill(2) if id.isdecimal() else id
    for name, path in paths().items():
        if wanted in (name, path.stem, path.stem[:2]):
            module = import_module(f"{__package__}.exercises.{path.stem}")
            return read_exercise(path, module)

    known = f"a number up to {len(ids()) - 1} or one of {', '.join(ids())}"
    raise InputError(f"there is no exercise {id!r}: expected {known}")
