"""Writing down a grading: a folder a student, and the class as a table and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...utils.files import make_folder, write_atomic, write_json
from ..report import Result
from .outputs.feedback import feedback
from .outputs.gradescope import results_json
from .outputs.html import class_page
from .outputs.junit import junit_xml
from .outputs.manual_marks import read_marks
from .outputs.tables import class_csv, result_json

STUDENTS = "students"


def write_results(results: Sequence[Result], out: Path, seed: int) -> list[str]:
    """Write class.html and class.csv, and students/NAME/ with feedback.txt, result.json, gradescope.json, junit.xml.

    Nothing in them tells when they were written: grading again writes the same. Marks given by hand are added; the
    students that have some and were not graded are returned.
    """
    ids = [report.exercise for report in results[0].reports] if results else []
    by_hand = read_marks(out, ids)
    for result in results:
        own = out / STUDENTS / result.student
        make_folder(own)
        marks = by_hand.get(result.student, 0)
        write_atomic(own / "feedback.txt", feedback(result, marks))
        write_json(own / "result.json", result_json(result, seed, marks))
        write_json(own / "gradescope.json", results_json(result, marks))
        write_atomic(own / "junit.xml", junit_xml(result))
    write_atomic(out / "class.csv", class_csv(results, by_hand))
    write_atomic(out / "class.html", class_page(results, by_hand))
    return sorted(by_hand.keys() - {result.student for result in results})
