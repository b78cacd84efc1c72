"""Why an answer is wrong: guards, named mistakes, facts, ablation, and then the numbers; the first that speaks."""

from __future__ import annotations

from collections.abc import Callable

from .answers import Answer
from .cases import Case
from .comparing import same
from .exercise import Call
from .findings import Finding


def explain(case: Case, call: Call, index: int, answers: dict[str, list[Answer]], again: Callable) -> Finding:
    """Return what is found out about a part that is not right."""
    return named(case, call, index, answers) or Finding("numbers", "", "the numbers differ")


def named(case: Case, call: Call, index: int, answers: dict[str, list[Answer]]) -> Finding | None:
    """Return the mistake that gives the student's numbers on every draw."""
    own = answers[call.name]
    for mistake in case.exercise.mistakes:
        wrong = case.mistaken[mistake.id][call.name]
        values = [answer.values[index] for answer in own if len(answer.values) == len(call.parts)]
        if len(values) == len(wrong) and all(same(v, w[index]) for v, w in zip(values, wrong, strict=True)):
            return Finding("mistake", mistake.id, mistake.says, mistake.ask)
    return None
