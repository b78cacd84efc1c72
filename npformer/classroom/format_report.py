"""A report in words: what a terminal, a notebook and a page print alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from . import index as course
from .diagnosis.worst_entry import UNSAID
from .exercise import Exercise
from .report import Part, Report

SIGNS = {"right": "✓", "wrong": "✗", "unattempted": "·", "error": "!", "timeout": "!"}
SAID = {"unattempted": "not written yet", "timeout": "took too long"}
AS_ABOVE = "as above"
MOST_LINES = 20  # of what a student's code prints


class Line(NamedTuple):
    """A line: its style (an outcome, "title", "fact", "question", "code" or "plain"), its indent, and its text."""

    style: str
    indent: int
    text: str


def tell(report: Report, *, why: bool = False) -> Iterator[Line]:
    """Yield what is said of a check; with `why` also the numbers of each part that is not right."""
    exercise = course.load(report.exercise)
    yield Line("title", 0, f"{exercise.number:02} {exercise.title}: {report.points} of {report.out_of} points")
    said: set[str] = set()
    for part in report.parts:
        if waits(part):
            yield Line("unattempted", 1, f"{SIGNS['unattempted']} {part.name}: {part.finding.text}")
            continue
        yield Line(part.outcome, 1, f"{SIGNS[part.outcome]} {part.name}: {SAID.get(part.outcome, part.outcome)}")
        yield from reasons(part, why, said)
        for warning in part.warnings:
            yield Line("plain", 3, f"by the way, {'as above' if warning in said else f'at no cost: {warning}'}")
            said.add(warning)
    if report.printed:
        yield Line("plain", 1, "it printed:")
        lines = report.printed.rstrip("\n").split("\n")
        yield from (Line("code", 2, line) for line in lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            yield Line("plain", 2, "... and more")
    if report.passed:
        yield Line("right", 0, "All public checks passed.")
        yield from about_prediction(report)


def waits(part: Part) -> bool:
    """Tell whether nothing is wrong with a part, and its points wait for another."""
    return part.outcome == "unattempted" and part.finding.kind == "none" and bool(part.finding.text)


def reasons(part: Part, why: bool, said: set[str]) -> Iterator[Line]:
    """Yield what was found out about a part; what was said of one above is in `said`, and not said again."""
    text, question = part.finding.text, part.finding.question
    if text:
        yield Line("fact", 3, AS_ABOVE if text in said else text)
    if question and question not in said:
        yield Line("question", 3, question)
    if why and part.numbers not in ("", UNSAID, text):
        yield Line("plain", 3, part.numbers)
    said.update((text, question))


def tell_hints(exercise: Exercise, last: int) -> Iterator[Line]:
    """Yield the hints of an exercise up to the one of index `last`."""
    for number, text in enumerate(exercise.hints[: last + 1], 1):
        yield Line("plain", 0, f"Hint {number} of {len(exercise.hints)}: {text}")


def about_prediction(report: Report) -> Iterator[Line]:
    """Yield whether what was predicted came true, once the answer passes."""
    asked = course.load(report.exercise).prediction
    if report.predicted in asked.choices:
        came = (
            "so it is" if report.predicted == asked.answer else f"it is {asked.answer}, {asked.choices[asked.answer]}"
        )
        yield Line("plain", 0, f"You predicted {report.predicted}: {came}. {asked.because}")
    else:
        answer = f"{asked.answer}, {asked.choices[asked.answer]}"
        yield Line("plain", 0, f'Under "Predict first" the answer is {answer}. {asked.because}')


def as_json(report: Report) -> dict:
    """Return a report for other programs: outcome, points and finding of each part."""
    return {
        "exercise": report.exercise,
        "points": report.points,
        "out_of": report.out_of,
        "predicted": report.predicted,
        "parts": [part_as_json(part) for part in report.parts],
    }


def part_as_json(part: Part) -> dict:
    """Return one part for other programs."""
    own = {name: getattr(part, name) for name in ("name", "outcome", "points", "out_of")}
    return {**own, "finding": asdict(part.finding), "warnings": list(part.warnings)}
