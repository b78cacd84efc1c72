"""Known mistakes: variants of the solution that give the same numbers on every draw, and exchanged results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..execution import make_call
from ..exercise import PART, Mistake, module_of
from ..report import Finding
from ..tolerance import same
from .view import View


def known_mistake(view: View) -> Finding | None:
    """Return the mistake of the exercise that gives the student's numbers, on further draws too.

    Where its text is about all that it makes wrong, all the call's results must be those of the mistake.
    """
    every = [replace(view, index=i) for i in range(len(view.call.parts))]
    for mistake in view.case.exercise.mistakes:
        concerned = [view] if PART in mistake.says else [other for other in every if _spoils(mistake, other)]
        fits = _spoils(mistake, view) and all(other.fits(_values_of(mistake, other)) for other in concerned)
        if fits and _lasts(mistake, view, concerned):
            return Finding("mistake", mistake.id, *mistake.describe(view.name))
    return None


def _values_of(mistake: Mistake, view: View) -> list[np.ndarray]:
    """Return the results of a mistake on each draw."""
    return [values[view.index] for values in view.case.mistaken[mistake.id][view.call.name]]


def _spoils(mistake: Mistake, view: View) -> bool:
    """Tell whether a mistake makes this result wrong."""
    return not all(map(same, _values_of(mistake, view), view.right))


def _lasts(mistake: Mistake, view: View, concerned: list[View]) -> bool:
    """Tell whether a mistake gives the student's numbers on further draws too, or the student gives none there."""
    if (more := view.with_more()) is None:
        return True
    module = module_of(view.case.exercise.mistaken(mistake))
    for one, answer in zip(more.draws, more.answers, strict=True):
        made = make_call(module, view.call, one.inputs)
        if made.state != "done" or len(made.values) != len(answer.values):
            return False
        if not all(same(answer.values[other.index], made.values[other.index]) for other in concerned):
            return False
    return True


def swapped(view: View) -> Finding | None:
    """Say that two results are exchanged, unless one known mistake explains both."""
    other = next((replace(view, index=j) for j in range(len(view.call.parts)) if _exchanged(view, j)), None)
    if other is None:
        return None
    both = known_mistake(view), known_mistake(other)
    if all(both) and both[0].id == both[1].id:
        return None
    question = "In which order does the docstring name the results?"
    return Finding("guard", "exchanged", f"{view.name} and {other.name} are exchanged", question)


def _exchanged(view: View, j: int) -> bool:
    """Tell whether this result and result j came in each other's place, and were not 0 throughout."""
    other = replace(view, index=j)
    return not view.fits(view.right) and all(
        one.fits(values) and any(value.any() for value in values)
        for one, values in ((view, other.right), (other, view.right))
    )
