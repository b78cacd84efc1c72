"""A student's result as JSON, and a class as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from ... import index as course
from ...format_report import as_json
from ...report import Result

BYTE_ORDER_MARK = "\ufeff"


def result_json(result: Result, seed: int, marks: float = 0) -> dict:
    """Return a student's result for other programs; `marks` were given by hand, and `points` is without them."""
    return {
        "student": result.student,
        "points": result.points,
        "out_of": result.out_of,
        "by_hand": marks,
        "seed": seed,
        "exercises": [as_json(report) for report in result.reports],
    }


def class_csv(results: Sequence[Result], by_hand: Mapping[str, float]) -> str:
    """Return the points of a class, a line a student and a column an exercise; `by_hand` are marks to add.

    It begins with a byte order mark, without which Excel takes UTF-8 for something else.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    ids = [report.exercise for report in results[0].reports] if results else []
    table.writerow(["student", *(course.stem(id) for id in ids), "by hand", "points", "out of"])
    for result in results:
        marks = by_hand.get(result.student, 0)
        points = [report.points for report in result.reports]
        table.writerow([safe(result.student), *points, f"{marks:g}", f"{result.points + marks:g}", result.out_of])
    return BYTE_ORDER_MARK + text.getvalue()


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text
