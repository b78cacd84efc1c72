"""A report in words: what a terminal, a notebook and a page print alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from . import course
from .findings import Part, Report

SIGNS = {"right": "✓", "wrong": "✗", "unattempted": "·", "error": "!", "timeout": "!"}
SAID = {"unattempted": "not written yet", "timeout": "took too long"}


class Line(NamedTuple):
    """A line: its style (an outcome, "title", "fact", "question" or "plain"), how far it is indented, and its text."""

    style: str
    indent: int
    text: str


def tell(report: Report, *, why: bool = False) -> Iterator[Line]:
    """Yield what is said of a check; with `why` also the question and the numbers of each part that is not right."""
    exercise = course.load(report.exercise)
    yield Line("title", 0, f"{exercise.number:02} {exercise.title}: {report.points} of {report.out_of} points")
    for part in report.parts:
        yield Line(part.outcome, 1, f"{SIGNS[part.outcome]} {part.name}: {SAID.get(part.outcome, part.outcome)}")
        yield from reasons(part, why)
        yield from (Line("plain", 3, f"by the way: {warning}") for warning in part.warnings)
    if report.printed:
        yield Line("plain", 1, "it printed:")
        yield from (Line("plain", 2, line) for line in report.printed.rstrip("\n").split("\n")[:20])
    if report.passed:
        yield Line("right", 0, "All public checks passed.")
        yield from about_prediction(report)


def reasons(part: Part, why: bool) -> Iterator[Line]:
    """Yield what was found out about a part."""
    if part.finding.text:
        yield Line("fact", 3, part.finding.text)
    if part.finding.question:
        yield Line("question", 3, part.finding.question)
    if why and part.numbers and part.numbers != part.finding.text:
        yield Line("plain", 3, part.numbers)


def about_prediction(report: Report) -> Iterator[Line]:
    """Yield whether what was predicted came true, once the answer passes."""
    asked = course.load(report.exercise).prediction
    if report.predicted in asked.choices:
        came = (
            "so it is" if report.predicted == asked.answer else f"it is {asked.answer}, {asked.choices[asked.answer]}"
        )
        yield Line("plain", 0, f"You predicted {report.predicted}: {came}. {asked.because}")
    else:
        yield Line("plain", 0, f"To the question before you wrote: {asked.choices[asked.answer]}. {asked.because}")


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
