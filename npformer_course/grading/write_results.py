"""The files of a grading: one folder per student, and the class as a table and a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from npformer.utils.errors import InputError
from npformer.utils.files import make_folder, write_atomic, write_json

from .. import course
from ..format_report import (
    AS_ABOVE,
    OUTCOME_WORDS,
    Line,
    as_json,
    failed_cell_lines,
    report_lines,
)
from ..report import Report, total
from .manual_marks import read_marks
from .outputs.class_page import class_page
from .outputs.gradescope import results_json

BYTE_ORDER_MARK = "\ufeff"  # without it Excel does not read UTF-8
FORMULA = ("=", "+", "-", "@")  # a spreadsheet's formula begins with one of these


def write_results(results: Mapping[str, Sequence[Report]], out: Path, seed: int) -> list[str]:
    """Write class.html and class.csv, and a folder students/NAME/ for each student.

    It has feedback.txt, result.json and gradescope.json. Grading again writes the same bytes. Marks
    given by hand are added; students who have some and were not graded are returned.
    """
    by_hand = read_marks(out, _exercises(results))
    # all files are written before one takes the place of an earlier one: a full disk leaves that
    try:
        with TemporaryDirectory(dir=out, prefix=".new") as new:
            _write_files(Path(new), results, by_hand, seed)
            _move_files(Path(new), out)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}") from None
    return sorted(by_hand.keys() - results.keys())


def _write_files(
    folder: Path, results: Mapping[str, Sequence[Report]], by_hand: Mapping[str, float], seed: int
) -> None:
    """Write all files. They hold no time or random number, so that they are the same each time."""
    for student, reports in results.items():
        own = folder / "students" / student
        make_folder(own)
        marks = by_hand.get(student, 0)
        write_atomic(own / "feedback.txt", feedback(student, reports, marks))
        write_json(own / "result.json", _result_json(student, reports, seed, marks))
        write_json(own / "gradescope.json", results_json(reports, marks))
    write_atomic(folder / "class.csv", class_csv(results, by_hand))
    write_atomic(folder / "class.html", class_page(results, by_hand))


def _move_files(source: Path, target: Path) -> None:
    """Move each file to the same place below another folder."""
    # class.csv is the first: Windows does not replace it while a spreadsheet has it open
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir():
            place.mkdir(exist_ok=True)
            continue
        try:
            path.replace(place)
        except OSError as error:
            raise InputError(
                f"cannot write {place}: {error.strerror}. "
                "Close it in other programs, and grade again"
            ) from None


def _exercises(results: Mapping[str, Sequence[Report]]) -> list[str]:
    """Return the ids of the exercises, which are the same for every student."""
    reports = next(iter(results.values()), ())
    return [report.exercise for report in reports]


def feedback(student: str, reports: Sequence[Report], marks: float = 0) -> str:
    """Return a student's result as text, without what the answers printed.

    `marks` were given by hand. A reason that several parts of an exercise share is given once.
    """
    points, out_of = total(reports)
    by_hand = f", and {marks:g} by hand" if marks else ""
    lines = [f"{student}: {points} of {out_of} points{by_hand}"]
    for report in reports:
        # what was printed may differ from run to run, and the feedback must not
        title, *rest = report_lines(replace(report, printed=""))
        lines += ["", title.text]
        if not report.attempted:
            reason = report.parts[0].finding.text or OUTCOME_WORDS["unattempted"]
            rest = [*failed_cell_lines(report), Line("plain", 1, reason)]
        for line in rest:
            if line.text != AS_ABOVE:
                lines.append("  " * line.indent + line.text)
    return "\n".join(lines) + "\n"


def _result_json(student: str, reports: Sequence[Report], seed: int, marks: float = 0) -> dict:
    """Return a student's result for other programs.

    `points` is without `marks`, which were given by hand.
    """
    points, out_of = total(reports)
    return {
        "student": student,
        "points": points,
        "out_of": out_of,
        "by_hand": marks,
        "seed": seed,
        "exercises": [as_json(report) for report in reports],
    }


def class_csv(results: Mapping[str, Sequence[Report]], by_hand: Mapping[str, float]) -> str:
    """Return the points of a class, one line per student and one column per exercise.

    `by_hand` are marks to add.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    stems = map(course.stem, _exercises(results))
    table.writerow(["student", *stems, "by hand", "points", "out of"])
    for student, reports in results.items():
        own = [report.points for report in reports]
        marks = by_hand.get(student, 0)
        points, out_of = total(reports)
        table.writerow([in_a_table(student), *own, f"{marks:g}", f"{points + marks:g}", out_of])
    return BYTE_ORDER_MARK + text.getvalue()


def in_a_table(text: str) -> str:
    """Return a text that a spreadsheet does not read as a formula."""
    # the apostrophe makes it a text
    return f"'{text}" if text.startswith(FORMULA) else text
