"""The check of an answer: every call on every draw, compared with the right results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from .case import Case
from .definition import UNCHANGED, Call, Code, Exercise
from .diagnosis.comparison import Comparison
from .diagnosis.crashes_and_types import changed_inputs
from .diagnosis.diagnosis import explain, explain_smallest
from .diagnosis.worst_entry import numbers, worst_draw
from .execution import Answer, Job
from .inputs import Draw
from .report import NOTHING, Finding, Part, Report
from .tolerance import right

Runner = Callable[[Exercise, Code, Sequence[Job]], tuple[list[Answer], str]]
OUTCOMES = {  # by state, the first that occurs on any draw
    "unattempted": "unattempted",
    "timeout": "timeout",
    "raised": "error",
    "died": "error",
}
WAITS = Finding("none", "", "counts once another part is right")
Further = Callable[[int], dict[str, list[Answer]]]


def check(case: Case, code: Code, run: Runner, *, explained: bool = True) -> Report:
    """Check an answer, and say what is wrong with it unless `explained` is off.

    Arguments:
        case: the exercise at a seed
        code: that of a student's file
        run: runs some jobs of the file, and returns their answers and what it printed
        explained: whether further draws are used to find out why a part is wrong
    """
    exercise = case.exercise
    draws = [*case.draws, case.smallest]
    all_answers, printed = _ask(case, code, run, exercise.calls, draws)
    answers = {name: of_call[:-1] for name, of_call in all_answers.items()}

    # a process costs more than its calls, so all wrong calls share one, and only if one is wrong
    @cache
    def further_answers(n: int) -> dict[str, list[Answer]]:
        """Return the answers of all wrong calls on n further draws, which run in one process."""
        wrong = [call for call in exercise.calls if _is_wrong(case, call, answers[call.name])]
        return _ask(case, code, run, wrong, case.further(n))[0]

    parts = []
    for call in exercise.calls:
        for index in range(len(call.parts)):
            further = further_answers if explained else None
            part = check_part(case, call, index, answers[call.name], further)
            if part.outcome == "right":
                part = _check_smallest(case, call, index, all_answers[call.name][-1])
            parts.append(part)
    # once all outcomes are known: a wrong result may come of another wrong one
    parts = [_with_origin(part, parts, exercise, code) for part in parts]
    if exercise.unchanged:
        parts.append(_check_unchanged(case, parts, all_answers))
    return Report(exercise.id, tuple(parts), printed)


def _ask(
    case: Case, code: Code, run: Runner, calls: Sequence[Call], draws: list[Draw]
) -> tuple[dict[str, list[Answer]], str]:
    """Return the answers to each call, one per draw, and what the student's code printed."""
    all_answers, printed = run(case.exercise, code, case.jobs(calls, draws))
    answers = {}
    for index, call in enumerate(calls):
        first = index * len(draws)
        answers[call.name] = all_answers[first : first + len(draws)]
    return answers, printed


def check_part(
    case: Case, call: Call, index: int, answers: list[Answer], further_answers: Further | None
) -> Part:
    """Check one result of a call.

    `further_answers(n)` runs the answer on n further draws; with None the reason is left out.
    """
    name, out_of = list(call.parts.items())[index]
    expected = case.expected[call.name]
    outcome = _outcome(answers, index, expected)
    if outcome in ("right", "unattempted"):
        return Part(name, call.name, outcome, out_of)

    # without `further_answers` nothing is explained, and no further draw is asked for
    further = further_answers or (lambda n: {})
    comparison = Comparison(case, call, index, case.draws, answers, expected, further)
    finding = explain(comparison) if further_answers else NOTHING
    part = Part(name, call.name, outcome, out_of, finding)
    if outcome != "wrong" or not comparison.comparable:
        return part

    worst = worst_draw(comparison)
    return replace(
        part,
        numbers=numbers(comparison).text,
        got=comparison.got[worst],
        expected=comparison.right[worst],
    )


def _check_smallest(case: Case, call: Call, index: int, answer: Answer) -> Part:
    """Check a result, which is right on the other draws, where every size is 1."""
    name, out_of = list(call.parts.items())[index]
    expected = [case.expected_of_smallest[call.name]]
    outcome = _outcome([answer], index, expected)
    if outcome == "right":
        return Part(name, call.name, outcome, out_of)

    comparison = Comparison(case, call, index, [case.smallest], [answer], expected, lambda n: {})
    part = Part(name, call.name, outcome, out_of, explain_smallest(comparison))
    if outcome != "wrong" or not comparison.comparable:
        return part
    return replace(part, got=comparison.got[0], expected=comparison.right[0])


def _with_origin(part: Part, parts: Sequence[Part], exercise: Exercise, code: Code) -> Part:
    """Return a part with a wrong one that may be the reason, if no reason is known.

    That is one of a function that this part's call runs too: the one of the same name, or the first
    that has another name than the other results of the call.
    """
    if part.finding.kind != "numbers":
        return part
    call = exercise.call(part.call)
    others = [name for name in call.parts if name != part.name]
    origins: list[Part] = []
    for other in _wrong_parts_below(call, parts, exercise, code):
        # "projections: dw_key" is the dw_key of another call
        name = other.name.rpartition(": ")[2]
        if name == part.name:
            origins.insert(0, other)
        elif name not in others:
            origins.append(other)
    if not origins:
        return part

    question = (
        f"The same call also computes {origins[0].name}, which is not right either: "
        "is that the reason?"
    )
    return replace(part, finding=replace(part.finding, question=question))


def _wrong_parts_below(
    call: Call, parts: Sequence[Part], exercise: Exercise, code: Code
) -> list[Part]:
    """Return the wrong parts of calls whose functions are some of those that a call runs."""
    own = exercise.reached(call, code)
    below = []
    for part in parts:
        if part.outcome in ("right", "unattempted"):
            continue
        reached = exercise.reached(exercise.call(part.call), code)
        # a proper subset: the other result needs some of these functions, and no others
        if reached and reached < own:
            below.append(part)
    return below


def _outcome(answers: list[Answer], index: int, expected: list[tuple[np.ndarray, ...]]) -> str:
    """Return the outcome of a part from its call's answers on each draw."""
    states = {answer.state for answer in answers}
    for state, outcome in OUTCOMES.items():
        if state in states:
            return outcome

    # one wrong draw is enough
    for answer, values in zip(answers, expected, strict=True):
        if not answer.repeats or len(answer.values) != len(values):
            return "wrong"
        if not right(answer.values[index], values[index]):
            return "wrong"
    return "right"


def _is_wrong(case: Case, call: Call, answers: list[Answer]) -> bool:
    """Return whether any result of a call is wrong."""
    expected = case.expected[call.name]
    return any(_outcome(answers, i, expected) == "wrong" for i in range(len(call.parts)))


def _check_unchanged(case: Case, parts: list[Part], answers: dict[str, list[Answer]]) -> Part:
    """Give the points for leaving the inputs alone, once any part is right."""
    points = case.exercise.unchanged
    if all(part.outcome == "unattempted" for part in parts):
        return Part(UNCHANGED, "", "unattempted", points)

    changed = set()
    for call, own in answers.items():
        arguments = case.exercise.argument_names(case.exercise.call(call))
        for answer in own:
            for change in answer.changed:
                # the name that the student sees, and what follows it, as in state['m']
                name = re.split(r"\W", change, maxsplit=1)[0]
                changed.add(arguments.get(name, name) + change.removeprefix(name))
    # the points are not for an answer that does nothing: it leaves its inputs alone too
    if changed:
        return Part(UNCHANGED, "", "wrong", points, changed_inputs(changed))
    if any(part.outcome == "right" for part in parts):
        return Part(UNCHANGED, "", "right", points)
    return Part(UNCHANGED, "", "unattempted", points, WAITS)
