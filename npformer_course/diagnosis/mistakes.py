"""Known mistakes: variants of the solution that give the same numbers on every draw, and exchanged results."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..execution import make_call
from ..exercise import PART, Mistake, module_of
from ..report import Finding
from ..tolerance import same
from .comparison import Comparison


def known_mistake(part: Comparison) -> Finding | None:
    """Return the mistake of the exercise that gives the student's numbers, on further draws too.

    Where its text is about all that it makes wrong, all the call's results must be those of the mistake.
    """
    every = [replace(part, index=i) for i in range(len(part.call.parts))]
    for mistake in part.case.exercise.mistakes:
        concerned = (
            [part]
            if PART in mistake.says
            else [other for other in every if _spoils(mistake, other)]
        )
        fits = _spoils(mistake, part) and all(
            other.fits(_values_of(mistake, other)) for other in concerned
        )
        if fits and _lasts(mistake, part, concerned):
            return Finding("mistake", mistake.id, *mistake.describe(part.name))
    return None


def _values_of(mistake: Mistake, part: Comparison) -> list[np.ndarray]:
    """Return the results of a mistake on each draw."""
    return [values[part.index] for values in part.case.mistaken[mistake.id][part.call.name]]


def _spoils(mistake: Mistake, part: Comparison) -> bool:
    """Tell whether a mistake makes this result wrong."""
    return not all(map(same, _values_of(mistake, part), part.right))


def _lasts(mistake: Mistake, part: Comparison, concerned: list[Comparison]) -> bool:
    """Tell whether a mistake gives the student's numbers on further draws too, or the student gives none there."""
    if (more := part.with_more()) is None:
        return True
    module = module_of(part.case.exercise.mistaken(mistake))
    for one, answer in zip(more.draws, more.answers, strict=True):
        mistake_answer = make_call(module, part.call, one.inputs)
        if mistake_answer.state != "done" or len(mistake_answer.values) != len(answer.values):
            return False
        if not all(
            same(answer.values[other.index], mistake_answer.values[other.index])
            for other in concerned
        ):
            return False
    return True


def swapped(part: Comparison) -> Finding | None:
    """Say that two results are exchanged, unless one known mistake explains both."""
    other = next(
        (replace(part, index=j) for j in range(len(part.call.parts)) if _exchanged(part, j)), None
    )
    if other is None:
        return None
    both = known_mistake(part), known_mistake(other)
    if all(both) and both[0].id == both[1].id:
        return None
    question = "In which order does the docstring name the results?"
    return Finding("guard", "exchanged", f"{part.name} and {other.name} are exchanged", question)


def _exchanged(part: Comparison, j: int) -> bool:
    """Tell whether this result and result j came in each other's place, and were not 0 throughout."""
    other = replace(part, index=j)
    return not part.fits(part.right) and all(
        one.fits(values) and any(value.any() for value in values)
        for one, values in ((part, other.right), (other, part.right))
    )
