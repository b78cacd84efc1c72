"""Known mistakes: variants of the solution with the same numbers on every draw; swapped results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..definition import PART, Mistake, module_of
from ..execution import Answer, Results, make_call
from ..report import Finding
from ..tolerance import same
from .comparison import Comparison


def known_mistake(comparison: Comparison) -> Finding | None:
    """Return the mistake of the exercise that gives the student's numbers, on further draws too.

    Where its text is about all that it makes wrong, all the call's results must be those of the
    mistake.
    """
    for mistake in comparison.case.exercise.mistakes:
        if not spoils(mistake, comparison):
            continue
        if PART in mistake.says:
            concerned = [comparison]
        else:
            concerned = _spoiled(mistake, comparison)
        fits = all(one.fits(values_of(mistake, one)) for one in concerned)
        if fits and _lasts(mistake, comparison, concerned):
            text, question = mistake.describe(comparison.name)
            return Finding("mistake", mistake.id, text, question)
    return None


def all_results(comparison: Comparison) -> list[Comparison]:
    """Return the comparison of each result of the call."""
    return [comparison.of_result(index) for index in range(len(comparison.call.parts))]


def values_of(mistake: Mistake, comparison: Comparison) -> list[np.ndarray]:
    """Return the results of a mistake on each draw."""
    results = comparison.case.mistaken[mistake.id][comparison.call.name]
    return [values[comparison.index] for values in results]


def spoils(mistake: Mistake, comparison: Comparison) -> bool:
    """Return whether a mistake makes this result wrong."""
    for value, right in zip(values_of(mistake, comparison), comparison.right, strict=True):
        if not same(value, right):
            return True
    return False


def _spoiled(mistake: Mistake, comparison: Comparison) -> list[Comparison]:
    """Return the comparison of each result of the call that a mistake makes wrong."""
    spoiled = []
    for one in all_results(comparison):
        if spoils(mistake, one):
            spoiled.append(one)
    return spoiled


def _lasts(mistake: Mistake, comparison: Comparison, concerned: Sequence[Comparison]) -> bool:
    """Return whether a mistake gives the student's numbers on further draws too.

    True also where the student gives none there.
    """
    # a coincidence on the first draws does not last
    more = comparison.with_more()
    if more is None:
        return True
    wrong = comparison.case.mistaken_further(mistake, comparison.call)
    if wrong is None:
        return False
    further = more.answers[len(comparison.answers) :]
    for answer, values in zip(further, wrong, strict=True):
        if not _agree(answer, values, concerned):
            return False
    return True


def _agree(answer: Answer, values: Results, concerned: Sequence[Comparison]) -> bool:
    """Return whether an answer has the results of our own code, as far as they are concerned."""
    if len(values) != len(answer.values):
        return False
    for one in concerned:
        expected = values[one.index]
        if isinstance(expected, str) or not same(answer.values[one.index], expected):
            return False
    return True


def gives_numbers(text: str, comparison: Comparison, concerned: Sequence[Comparison]) -> bool:
    """Return whether our own code gives the student's numbers on every draw of a comparison.

    `concerned` are the results of the call that must agree.
    """
    module = module_of(text)
    for draw, answer in zip(comparison.draws, comparison.answers, strict=True):
        wrong = make_call(module, comparison.call, draw.inputs)
        if wrong.state != "done" or not _agree(answer, wrong.values, concerned):
            return False
    return True


def swapped(comparison: Comparison) -> Finding | None:
    """Say that two results are exchanged, unless one known mistake explains both."""
    for other in all_results(comparison):
        if _are_exchanged(comparison, other):
            # such a mistake knows more about it than that they are exchanged
            mistake = known_mistake(comparison)
            of_other = known_mistake(other)
            if mistake and of_other and mistake.id == of_other.id:
                return None
            text = f"{comparison.name} and {other.name} are exchanged"
            question = "In which order does the docstring name the results?"
            return Finding("guard", "exchanged", text, question)
    return None


def _are_exchanged(one: Comparison, other: Comparison) -> bool:
    """Return whether two results came in each other's place, and were not 0 throughout."""
    if one.fits(one.right):
        return False
    if not one.fits(other.right) or not other.fits(one.right):
        return False
    # two results that are 0 are in each other's place, but nobody exchanged them
    return not _are_zero(one.right) and not _are_zero(other.right)


def _are_zero(arrays: Sequence[np.ndarray]) -> bool:
    return not any(map(np.any, arrays))
