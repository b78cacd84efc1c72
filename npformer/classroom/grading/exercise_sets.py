"""Sets of exercises: a week, some by id or number, or all."""

from __future__ import annotations

from ...utils.errors import InputError
from .. import index as course

WEEKS = {
    "week1": ("01", "04"),
    "week2": ("05", "07"),
    "week3": ("08", "10"),
    "week4": ("11", "13"),
    "week5": ("14", "16"),
    "week6": ("17", "20"),
    "week7": ("21", "24"),
    "week8": ("25", "28"),
}


def chosen(words: str) -> list[str]:
    """Return the ids that comma-separated words name, in the order of the course.

    Each is "all", a week, an id, a number, or two numbers with a dash between. Raises `InputError` for another.

    >>> chosen("week1") == chosen("01-04")
    True
    """
    found = set()
    for word in filter(None, (word.strip() for word in words.split(","))):
        first, dash, last = word.partition("-")
        if word == "all":
            found |= {*course.ids()}
        elif word in WEEKS:
            found |= _between(*WEEKS[word])
        elif dash and first.isdecimal() and last.isdecimal():
            found |= _between(first.zfill(2), last.zfill(2))
        else:
            try:
                found.add(course.load(word.zfill(2) if word.isdecimal() else word).id)
            except InputError:
                known = ", ".join(WEEKS)
                raise InputError(f"{word!r} is not an exercise: expected all, {known}, an id, 07 or 05-09") from None
    if not found:
        raise InputError(f"{words!r} names no exercise: expected all, week1, an id, 07 or 05-09")
    return [id for id in course.ids() if id in found]


def _between(first: str, last: str) -> set[str]:
    """Return the ids from one number to another."""
    return {id for id, path in course.paths().items() if first <= path.stem[:2] <= last}
