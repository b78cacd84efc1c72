"""When an answer has two of the known mistakes at once."""

from __future__ import annotations

import types
from collections.abc import Iterator
from itertools import combinations

from ...testing.patches import StalePatch
from ..exercise import Exercise, Mistake, module_of
from ..exercise_at_seed import Case
from ..report import Finding
from .mistakes import gives, values_of
from .part import View

Pair = tuple[Mistake, Mistake, types.ModuleType]


def two_at_once(view: View) -> Finding | None:
    """Return the two mistakes that together, and only together, give the student's numbers on every draw."""
    if not view.comparable or view.agrees:
        return None
    found = [(a, b) for a, b, module in pairs_of(view.case) if gives(view, module)]
    if len(found) != 1 or any(view.fits(values_of(mistake, view)) for mistake in found[0]):
        return None
    a, b = found[0]
    (says, ask), (also_says, also_ask) = a.told(view.name), b.told(view.name)
    text = f"{view.name} is what comes out of two mistakes at once. Of the first alone it would be said: {says}. "
    return Finding("mistake", f"{a.id} and {b.id}", f"{text}Of the second: {also_says}", f"{ask} {also_ask}")


def pairs_of(case: Case) -> list[Pair]:
    """Return the pairs of an exercise's mistakes that can be made at once, with the code that has both."""
    if "pairs" not in vars(case):
        vars(case)["pairs"] = list(made(case.exercise))
    return vars(case)["pairs"]


def made(exercise: Exercise) -> Iterator[Pair]:
    """Make the pairs."""
    for a, b in combinations(exercise.mistakes, 2):
        for one, other in ((a, b), (b, a)):
            try:
                text = exercise.mistaken(one)
                for edit in other.edits:
                    text = edit.apply(text)
            except StalePatch:
                continue
            yield a, b, module_of(text)
            break
