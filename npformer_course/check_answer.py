"""The check of an answer: every call on every draw, compared with the right results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from .case import Case
from .diagnosis.comparison import Comparison
from .diagnosis.crashes_and_types import changed_inputs
from .diagnosis.diagnosis import explain
from .diagnosis.worst_entry import numbers, worst_draw
from .execution import Answer, Job
from .exercise import UNCHANGED, Call, Exercise
from .inputs import Sample
from .report import NOTHING, Finding, Part, Report
from .tolerance import right

Runner = Callable[[Exercise, str, Sequence[Job]], tuple[list[Answer], str]]
OUTCOMES = {
    "unattempted": "unattempted",
    "timeout": "timeout",
    "raised": "error",
    "died": "error",
}  # by state
Again = Callable[[int], dict[str, list[Answer]]]


def check(case: Case, text: str, run: Runner, *, explained: bool = True) -> Report:
    """Check an answer (the code of a student's file) and say what is wrong with it, unless `explained` is off."""
    exercise = case.exercise

    def ask(calls: Sequence[Call], draws: list[Sample]) -> tuple[dict[str, list[Answer]], str]:
        all_answers, printed = run(exercise, text, case.jobs(calls, draws))
        return {
            call.name: all_answers[i * len(draws) :][: len(draws)] for i, call in enumerate(calls)
        }, printed

    answers, printed = ask(exercise.calls, case.draws)
    results = [(call, index) for call in exercise.calls for index in range(len(call.parts))]
    wrong = {
        call.name
        for call, i in results
        if _outcome(answers[call.name], i, case.expected[call.name]) == "wrong"
    }

    @cache
    def again(n: int) -> dict[str, list[Answer]]:
        return ask([call for call in exercise.calls if call.name in wrong], case.further(n))[0]

    parts = [
        check_part(case, call, i, answers[call.name], again if explained else None)
        for call, i in results
    ]
    parts = [_with_origin(part, parts, exercise, text) for part in parts]
    if exercise.unchanged:
        parts.append(_check_unchanged(case, parts, answers))
    return Report(exercise.id, tuple(parts), printed)


def check_part(
    case: Case, call: Call, index: int, answers: list[Answer], again: Again | None
) -> Part:
    """Check one result of a call; `again(n)` runs the answer on further draws, None leaves out the reason."""
    name, out_of = list(call.parts.items())[index]
    outcome = _outcome(answers, index, case.expected[call.name])
    if outcome in ("right", "unattempted"):
        return Part(name, call.name, outcome, out_of)
    comparison = Comparison(
        case, call, index, case.draws, answers, case.expected[call.name], again or (lambda n: {})
    )
    part = Part(name, call.name, outcome, out_of, explain(comparison) if again else NOTHING)
    if outcome != "wrong" or not comparison.comparable:
        return part
    worst = worst_draw(comparison)
    return replace(
        part,
        numbers=numbers(comparison).text,
        got=comparison.got[worst],
        expected=comparison.right[worst],
    )


def _with_origin(part: Part, parts: Sequence[Part], exercise: Exercise, text: str) -> Part:
    """Return a part with the first wrong one that the answer computes it from, if no other reason is known."""
    wrong = [
        one
        for one in parts
        if part.finding.kind == "numbers" and one.outcome not in ("right", "unattempted")
    ]
    own = exercise.reached(exercise.call(part.call), text) if wrong else set()
    before = [one for one in wrong if set() < exercise.reached(exercise.call(one.call), text) < own]
    if not before:
        return part
    question = (
        f"It is computed from {before[0].name}, which is not right either: is that the reason?"
    )
    return replace(part, finding=replace(part.finding, question=question))


def _outcome(answers: list[Answer], index: int, expected: list[tuple[np.ndarray, ...]]) -> str:
    """Return the outcome of a part from its call's answers on each draw."""
    states = {answer.state for answer in answers}
    if outcomes := [outcome for state, outcome in OUTCOMES.items() if state in states]:
        return outcomes[0]
    for answer, values in zip(answers, expected, strict=True):
        if (
            not answer.repeats
            or len(answer.values) != len(values)
            or not right(answer.values[index], values[index])
        ):
            return "wrong"
    return "right"


def _check_unchanged(case: Case, parts: list[Part], answers: dict[str, list[Answer]]) -> Part:
    """Give the points for leaving the inputs alone, once any part is right."""
    points = case.exercise.unchanged
    if all(part.outcome == "unattempted" for part in parts):
        return Part(UNCHANGED, "", "unattempted", points)
    changed = {
        case.exercise.argument_names(case.exercise.call(call)).get(name, name)
        for call, own in answers.items()
        for answer in own
        for name in answer.changed
    }
    if changed:
        return Part(UNCHANGED, "", "wrong", points, changed_inputs(changed))
    if any(part.outcome == "right" for part in parts):
        return Part(UNCHANGED, "", "right", points)
    return Part(
        UNCHANGED,
        "",
        "unattempted",
        points,
        Finding("none", "", "counts once another part is right"),
    )
