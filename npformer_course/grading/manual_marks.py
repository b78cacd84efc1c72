"""Marks given by hand: a table of the teacher's that grading reads and never overwrites."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, read_text, write_atomic

from .. import course
from .lms_names import safe_name

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

    text = read_text(path)
    # a spreadsheet in a language with decimal commas writes semicolons between the columns
    lines = text.splitlines()
    has_semicolons = bool(lines) and ";" in lines[0]

    marks: dict[str, float] = {}
    for line, values in _rows(path, text, ";" if has_semicolons else ","):
        written, exercise, points, _ = values
        # as the student is called in the other tables
        student = safe_name(written) if written else ""
        number = points
        if has_semicolons:
            number = points.replace(",", ".")
        try:
            counts = not exercise or course.load(exercise).id in ids
            worth = _points(number)
        except InputError as error:
            raise InputError(f"{path}, line {line}: {error}") from None
        # a sum that is infinite could not be written: JSON has no infinity
        total = marks.get(student, 0) + (worth or 0)
        if worth is None or not math.isfinite(total):
            raise InputError(f"{path}, line {line}: points must be a number, got {points!r}")
        if counts:
            marks[student] = total
    return marks


def _rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line and the values of each row that is not empty.

    Raises `InputError` for another header, and for a row that has a comma too many.
    """
    # strict, because a quote that is never closed would hide the lines below it
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        if rows.fieldnames != COLUMNS:
            raise InputError(f"{path}: expected the columns {', '.join(COLUMNS)} in its first line")
        for row in rows:
            # without quotes 1,5 would count as 1, with the comment 5
            comment = (row["comment"] or "").strip()
            if None in row or comment.isdecimal():
                raise InputError(
                    f"{path}, line {rows.line_num}: it is not clear where the points end: write "
                    "points such as 1.5, and a comment that has a comma in quotes"
                )
            values = [(row[name] or "").strip() for name in COLUMNS]
            if any(values):
                yield rows.line_num, values
    except csv.Error as error:
        # line_num is the end of the last row that could be read
        begin = rows.line_num + 1
        raise InputError(f"{path}, line {begin}: {error}: look at the quotes") from None


def _points(text: str) -> float | None:
    """Return a number, or None for another text."""
    try:
        return float(text)
    except ValueError:
        return None
