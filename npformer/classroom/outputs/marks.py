"""Marks given by hand: a table of the teacher's that grading reads and never writes over."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from ...base.errors import InputError
from ...base.files import read_text, write_whole

NAME = "marks.csv"
COLUMNS = ["student", "exercise", "points", "comment"]


def read_marks(folder: Path) -> dict[str, float]:
    """Return what is to be added for each student; a first time, an empty table is laid there.

    Raises `InputError` for a line that is none.
    """
    path = folder / NAME
    if not path.exists():
        write_whole(path, ",".join(COLUMNS) + "\n")
    marks: dict[str, float] = {}
    rows = csv.DictReader(read_text(path).splitlines())
    if rows.fieldnames != COLUMNS:
        raise InputError(f"{path}: expected the columns {', '.join(COLUMNS)} in its first line")
    for row in rows:
        try:
            points = float(row["points"])
            if not math.isfinite(points):
                raise ValueError
        except (TypeError, ValueError):
            raise InputError(f"{path}, line {rows.line_num}: points must be a number, got {row['points']!r}") from None
        marks[row["student"]] = marks.get(row["student"], 0) + points
    return marks
