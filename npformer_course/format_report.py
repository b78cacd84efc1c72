"""A report in words, for terminals, notebooks and pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from . import course
from .definition import Exercise
from .diagnosis.fitting_hint import fitting_hint
from .diagnosis.worst_entry import UNSAID
from .report import Finding, Part, Report

SIGNS = {"right": "✓", "wrong": "✗", "unattempted": "·", "error": "!", "timeout": "!"}
OUTCOME_WORDS = {"unattempted": "not written yet", "timeout": "took too long"}
AS_ABOVE = "as above"
NOTHING_WRONG = "Nothing is wrong: all parts are right."  # where one asks why
MAX_LINES = 20  # of what a student's code prints


class Line(NamedTuple):
    """A line of a report.

    `style` is an outcome, "title", "fact", "question", "code" or "plain".
    """

    style: str
    indent: int
    text: str


def report_lines(report: Report, *, why: bool = False) -> Iterator[Line]:
    """Yield the lines of a report.

    With `why` also the numbers of each part that is not right, and the hint that fits the first.
    """
    exercise = course.load(report.exercise)
    title = f"{exercise.number:02} {exercise.title}"
    yield Line("title", 0, f"{title}: {report.points} of {report.out_of} points")

    yield from failed_cell_lines(report)
    printed: set[str] = set()  # texts of the parts above, which are not repeated
    for part in report.parts:
        if part.waits:
            yield Line("unattempted", 1, f"{SIGNS['unattempted']} {part.name}: {part.finding.text}")
            continue
        outcome = OUTCOME_WORDS.get(part.outcome, part.outcome)
        yield Line(part.outcome, 1, f"{SIGNS[part.outcome]} {part.name}: {outcome}")
        yield from _reasons(part, why, printed)
    if why:
        yield from _hint_that_fits(report, exercise)

    if report.printed:
        yield Line("plain", 1, "it printed:")
        lines = report.printed.rstrip("\n").split("\n")
        for line in lines[:MAX_LINES]:
            yield Line("code", 2, line)
        if len(lines) > MAX_LINES:
            yield Line("plain", 2, "... and more")

    if report.passed:
        yield Line("right", 0, "All checks passed.")
        yield _about_prediction(report)


def failed_cell_lines(report: Report) -> Iterator[Line]:
    """Yield which cells of a notebook failed."""
    for text in report.failed_cells:
        yield Line("error", 1, f"{SIGNS['error']} {text}")


def _reasons(part: Part, why: bool, printed: set[str]) -> Iterator[Line]:
    """Yield what was found out about a part, and add it to `printed`."""
    text = _without_name(part.finding.text, part.name)
    question = _without_name(part.finding.question, part.name)
    if text and text in printed:
        yield Line("fact", 3, AS_ABOVE)
    elif text:
        for line in _split(part.finding, part.finding.text):
            yield Line("fact", 3, line)
    if question and question not in printed:
        for line in _split(part.finding, part.finding.question):
            yield Line("question", 3, line)
    # the numbers may be the finding itself
    if why and part.numbers not in ("", UNSAID, part.finding.text):
        yield Line("plain", 3, part.numbers)
    printed.update((text, question))


def _split(finding: Finding, text: str) -> list[str]:
    """Return the lines of a text of ours; in another an exception may have any number of them."""
    return text.split("\n") if finding.kind == "mistake" else [text]


def _without_name(text: str, name: str) -> str:
    """Return a text with "it" for the name of a part: what is said of two parts is the same then.

    >>> _without_name("dx is dx_out, unchanged", "dx")
    'it is dx_out, unchanged'
    """
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "it", text)


def _hint_that_fits(report: Report, exercise: Exercise) -> Iterator[Line]:
    """Yield the hint about the first part with wrong numbers, if there is one."""
    for part in report.parts:
        if part.outcome == "wrong" and part.call:
            index = fitting_hint(exercise, part)
            if index is not None:
                yield from hint_lines(exercise, index)
            return


def hint_lines(exercise: Exercise, *indices: int) -> Iterator[Line]:
    """Yield the hints of an exercise with these indices."""
    n = len(exercise.hints)
    for index in indices:
        yield Line("plain", 0, f"Hint {index + 1} of {n}: {exercise.hints[index]}")


def _about_prediction(report: Report) -> Line:
    """Return whether the prediction was correct, once the answer passes."""
    prediction = course.load(report.exercise).prediction
    answer = f"{prediction.answer}, {prediction.choices[prediction.answer]}"
    if report.predicted == prediction.answer:
        text = f"You predicted {prediction.answer}: so it is"
    elif report.predicted in prediction.choices:
        text = f"You predicted {report.predicted}: it is {answer}"
    else:
        text = f'Under "Predict first" the answer is {answer}'
    return Line("plain", 0, f"{text}. {prediction.because}")


def say_part(part: Part) -> str:
    """Return the outcome of a part and what was found, in one text."""
    if part.waits:
        return part.finding.text
    texts = [
        OUTCOME_WORDS.get(part.outcome, part.outcome),
        part.finding.text,
        part.finding.question,
    ]
    return "\n".join(text for text in texts if text)


def as_json(report: Report) -> dict:
    """Return a report for other programs: outcome, points and finding of each part."""
    parts = []
    for part in report.parts:
        parts.append(
            {
                "name": part.name,
                "outcome": part.outcome,
                "points": part.points,
                "out_of": part.out_of,
                "finding": asdict(part.finding),
            }
        )
    return {
        "exercise": report.exercise,
        "points": report.points,
        "out_of": report.out_of,
        "predicted": report.predicted,
        "failed_cells": list(report.failed_cells),
        "parts": parts,
    }
