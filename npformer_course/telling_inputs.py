"""Inputs on which a known mistake shows, for the mistakes that random inputs seldom show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import TypeVar

from . import course
from .definition import module_of

Drawn = TypeVar("Drawn")


@cache
def mistaken_solution(id: str, mistake: str) -> ModuleType:
    """Return the solution of an exercise with one of its known mistakes, by its id, as a module."""
    exercise = course.load(id)
    [known] = [known for known in exercise.mistakes if known.id == mistake]
    return module_of(exercise.mistaken(known))


def draw_until(draw: Callable[[], Drawn], shows: Callable[[Drawn], bool], tries: int) -> Drawn:
    """Return the first draw for which `shows` holds, and the last of `tries` if it holds for none.

    >>> numbers = iter([1, 3, 4, 5])
    >>> draw_until(lambda: next(numbers), lambda number: number % 2 == 0, tries=10)
    4
    """
    for _ in range(tries):
        drawn = draw()
        if shows(drawn):
            break
    return drawn
