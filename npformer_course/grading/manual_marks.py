"""Marks given by hand: a table of the teacher's that grading reads and never overwrites."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, read_text, write_atomic

from .. import course

MARKS = "marks.csv"
COLUMNS = ["student", "exercise", "points", "comment"]


def read_marks(folder: Path, ids: Sequence[str]) -> dict[str, float]:
    """Return the points to add for each student; the first time, write an empty table.

    Marks count if their exercise is among `ids` or not given. The table may have semicolons for
    commas, as some spreadsheets write them. Raises `InputError` for a line that is not a mark.
    """
    path = folder / MARKS
    if not path.exists():
        make_folder(folder)
        write_atomic(path, ",".join(COLUMNS) + "\n")

    # a spreadsheet in a language with decimal commas writes semicolons between the columns
    lines = read_text(path).splitlines()
    has_semicolons = bool(lines) and ";" in lines[0]
    delimiter = ","
    if has_semicolons:
        delimiter = ";"
    rows = csv.DictReader(lines, delimiter=delimiter)
    if rows.fieldnames != COLUMNS:
        raise InputError(f"{path}: expected the columns {', '.join(COLUMNS)} in its first line")

    marks: dict[str, float] = {}
    for row in rows:
        values = [(row[name] or "").strip() for name in COLUMNS]
        if not any(values):
            continue
        student, exercise, points, _ = values
        number = points
        if has_semicolons:
            number = points.replace(",", ".")
        try:
            counts = not exercise or course.load(exercise).id in ids
            worth = _points(number)
        except InputError as error:
            raise InputError(f"{path}, line {rows.line_num}: {error}") from None
        # a sum that is infinite could not be written: JSON has no infinity
        total = marks.get(student, 0) + (worth or 0)
        if worth is None or not math.isfinite(total):
            raise InputError(
                f"{path}, line {rows.line_num}: points must be a number, got {points!r}"
            )
        if counts:
            marks[student] = total
    return marks


def _points(text: str) -> float | None:
    """Return a number, or None for another text."""
    try:
        return float(text)
    except ValueError:
        return None
