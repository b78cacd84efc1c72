"""The known mistake that an answer has: the variant of the solution that gives the same numbers on every draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..execution import make_call
from ..exercise import PART, Mistake, module_of
from ..report import Finding
from ..tolerance import same
from .part import View


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
    for one, answer in zip(more.drawn, more.answers, strict=True):
        made = make_call(module, view.call, one.inputs)
        if made.state != "done" or len(made.values) != len(answer.values):
            return False
        if not all(same(answer.values[other.index], made.values[other.index]) for other in concerned):
            return False
    return True
