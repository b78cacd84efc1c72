"""Sets of exercises as teachers write them: a week, some by id or number, or all."""

from __future__ import annotations

from npformer.utils.errors import InputError

from .. import course

# of notebooks
RANGES = (
    "01-02",
    "03-04",
    "05-06",
    "07-08",
    "09-11",
    "12",
    "13-15",
    "16-18",
    "19-21",
    "22-25",
    "26-29",
    "30-32",
)
WEEKS = {f"week{n}": between for n, between in enumerate(RANGES, 1)}


def exercise_ids(words: str) -> list[str]:
    """Return the ids that comma-separated words name, in the order of the course.

    Each is "all", a week, an id, the number of a notebook, or two numbers with a dash between.
    Raises `InputError` for another.

    >>> exercise_ids("week1") == exercise_ids("01-02")
    True
    """
    ids: set[str] = set()
    chosen = [word.strip() for word in words.split(",") if word.strip()]
    for word in chosen or [words]:
        named = _named_by(word)
        if not named:
            raise InputError(f"{word!r} names no exercise: expected all, week1, an id, 07 or 05-09")
        ids |= named
    return [id for id in course.EXERCISES if id in ids]


def _named_by(word: str) -> set[str]:
    """Return the ids that one word names."""
    if word == "all":
        return set(course.EXERCISES)
    # a week is a range of numbers too; a single number is a range of one
    first, dash, last = WEEKS.get(word, word).partition("-")
    if not dash:
        last = first
    if first.isdecimal() and last.isdecimal():
        numbers = range(int(first), int(last) + 1)
        return {id for id in course.EXERCISES if course.load(id).number in numbers}
    try:
        return {course.load(word).id}
    except InputError:
        known = ", ".join(WEEKS)
        raise InputError(
            f"{word!r} is not an exercise: expected all, {known}, an id, 07 or 05-09"
        ) from None
