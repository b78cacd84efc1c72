"""Checking an answer: every call on every draw, compared with what is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .diagnosis.diagnosis import explain
from .diagnosis.output_checks import changed_inputs
from .diagnosis.part import seen
from .diagnosis.unfinished import unfinished
from .diagnosis.worst_entry import numbers
from .execution import Answer, Job, Ran, make_call
from .exercise import UNCHANGED, Call, Exercise, module_of
from .exercise_at_seed import Case, by_call
from .inputs import single
from .report import NOTHING, Finding, Part, Report
from .tolerance import error, right

WIDENED = "inputs in float32 give a result in float64: where does it become wider?"
Runner = Callable[[Exercise, str, list[Job]], Ran]


def run_here(exercise: Exercise, text: str, jobs: list[Job]) -> Ran:
    """Run code of ours in this process; what a student wrote runs in `sandbox`."""
    module = module_of(text)
    return Ran([make_call(module, exercise.call(job.call), job.inputs) for job in jobs])


def check(case: Case, text: str, run: Runner, *, explained: bool = True) -> Report:
    """Check an answer (the code of a student's file) and say what is wrong with it, unless `explained` is off."""
    exercise = case.exercise
    ran = run(exercise, text, case.jobs)
    answers = by_call(case, ran.answers)

    def again(jobs):
        return run(exercise, text, jobs).answers

    parts: list[Part] = []
    for call in exercise.calls:
        missing = unfinished(text, answers[call.name]) if explained and text else NOTHING
        for index in range(len(call.parts)):
            part = check_part(case, call, index, answers, again if explained else None)
            parts.append(replace(part, finding=missing) if part.outcome == "unattempted" else part)
    if explained and all(part.outcome == "right" for part in parts):
        widened = widened_results(case, again)
        parts = [replace(part, warnings=(WIDENED,) * (part.name in widened[part.call])) for part in parts]
    if exercise.unchanged:
        parts.append(check_unchanged(case, parts, answers))
    return Report(exercise.id, tuple(parts), ran.printed)


def check_part(case: Case, call: Call, index: int, answers: dict[str, list[Answer]], again) -> Part:
    """Check one result of a call; `again(jobs)` runs the answer on other draws, and None leaves out the reason."""
    name, out_of = list(call.parts.items())[index]
    own = answers[call.name]
    outcome = outcome_of(case, call, index, own)
    worst = worst_draw(case, call, index, own) if outcome == "wrong" else None
    finding = NOTHING
    if outcome in ("wrong", "error", "timeout") and again:
        finding = explain(case, call, index, answers, again)
    return Part(
        name,
        call.name,
        outcome,
        out_of if outcome == "right" else 0,
        out_of,
        finding,
        numbers="" if worst is None else numbers(seen(case, call, index, own)).text,
        got=None if worst is None else own[worst].values[index],
        expected=None if worst is None else case.expected[call.name][worst][index],
    )


def outcome_of(case: Case, call: Call, index: int, answers: list[Answer]) -> str:
    """Return the outcome of a part from its call's answers on each draw."""
    states = [answer.state for answer in answers]
    if "unattempted" in states:
        return "unattempted"
    if "timeout" in states:
        return "timeout"
    if {"raised", "died"} & {*states}:
        return "error"
    agree = map(is_right, answers, [call] * len(answers), [index] * len(answers), case.expected[call.name])
    return "right" if all(agree) and all(answer.repeats for answer in answers) else "wrong"


def is_right(answer: Answer, call: Call, index: int, expected: tuple[np.ndarray, ...]) -> bool:
    """Tell whether one result on one draw is right; the number of results must be right too."""
    return len(answer.values) == len(call.parts) and right(answer.values[index], expected[index])


def worst_draw(case: Case, call: Call, index: int, answers: list[Answer]) -> int | None:
    """Return the draw with the largest difference that is a number, or None."""
    errors = [
        error(answer.values[index], expected[index]) if len(answer.values) == len(call.parts) else np.inf
        for answer, expected in zip(answers, case.expected[call.name], strict=True)
    ]
    finite = [e if np.isfinite(e) else -1.0 for e in errors]
    return int(np.argmax(finite)) if max(finite) >= 0 else None


def widened_results(case: Case, again) -> dict[str, set[str]]:
    """Return which results of right answers are float64 though inputs in float32 should leave them float32."""
    calls, inputs = case.exercise.calls, single(case.drawn[0].inputs)
    jobs = [Job(call.name, inputs) for call in calls]
    right = run_here(case.exercise, case.exercise.key, jobs).answers
    return {
        call.name: {
            name
            for name, came, wanted in zip(call.parts, own.values, expected.values, strict=False)
            if getattr(came, "dtype", None) == np.float64 and getattr(wanted, "dtype", None) == np.float32
        }
        for call, own, expected in zip(calls, again(jobs), right, strict=True)
    }


def check_unchanged(case: Case, parts: list[Part], answers: dict[str, list[Answer]]) -> Part:
    """Give the points for leaving the inputs alone, once any part is right."""
    exercise = case.exercise
    if all(part.outcome == "unattempted" for part in parts):
        return Part(UNCHANGED, "", "unattempted", 0, exercise.unchanged)
    named = ((a, case.arguments(exercise.call(name))) for name, own in answers.items() for a in own if a.changed)
    if found := changed_inputs(named):
        return Part(UNCHANGED, "", "wrong", 0, exercise.unchanged, found)
    if any(part.outcome == "right" for part in parts):
        return Part(UNCHANGED, "", "right", exercise.unchanged, exercise.unchanged)
    waits = Finding("none", "", "counts once another part is right")
    return Part(UNCHANGED, "", "unattempted", 0, exercise.unchanged, waits)
