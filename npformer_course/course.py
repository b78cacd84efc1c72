"""The exercises of the course, by their names."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path

from npformer.utils.errors import InputError

from .definition import Exercise
from .order import EXERCISES, notebook_of
from .percent_format import read_cells
from .words import listed

FOLDER = Path(__file__).parent / "exercises"


def stem(id: str) -> str:
    """Return the name of a student's file without its ending: the notebook's number and the id.

    >>> stem("softmax")
    '03_softmax'
    """
    return f"{notebook_of(id):02}_{id}"


def find(name: str) -> str:
    """Return the id of an exercise that is given by its id, with or without its number.

    The number alone will do where a notebook has one exercise. Raises `InputError` for another
    name.

    >>> find("softmax_backward"), find("11_softmax_backward"), find("9")
    ('softmax_backward', 'softmax_backward', 'numeric_gradient')
    """
    if name.isdecimal():
        return _of_notebook(int(name))
    for id in EXERCISES:
        if name in (id, stem(id)):
            return id

    near = get_close_matches(name, EXERCISES, n=1)
    if near:
        raise InputError(f"there is no exercise {name!r}: did you mean {near[0]}?")
    raise InputError(f"there is no exercise {name!r}: expected a name such as softmax")


def _of_notebook(number: int) -> str:
    """Return the exercise of a notebook that has one."""
    ids = [id for id in EXERCISES if notebook_of(id) == number]
    if not ids:
        raise InputError(f"there is no exercise {number:02}: expected a name such as softmax")
    if len(ids) > 1:
        raise InputError(f"notebook {number:02} has several exercises: name one of {listed(ids)}")
    return ids[0]


def load(name: str) -> Exercise:
    """Return an exercise, named as in `find`.

    >>> load("layer_norm_backward").number
    12
    """
    return _read(find(name))


@cache
def _read(id: str) -> Exercise:
    """Return an exercise, put together from the files of its folder."""
    folder = FOLDER / id
    alternatives = sorted((folder / "alternatives").glob("*.py"))
    teacher = import_module(f"{__package__}.exercises.{id}.teacher")
    mistakes = import_module(f"{__package__}.exercises.{id}.mistakes")
    return replace(
        teacher.EXERCISE,
        id=id,
        number=notebook_of(id),
        cells=tuple(read_cells((folder / "exercise.py").read_text(encoding="utf-8"))),
        mistakes=tuple(mistakes.MISTAKES),
        alternatives=tuple(path.read_text(encoding="utf-8") for path in alternatives),
    )
