"""Writing down a grading: a folder a student, and the class as a table and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...base.files import make_folder, write_json, write_whole
from ..findings import Result
from ..outputs.feedback import feedback
from ..outputs.gradescope import results_json
from ..outputs.json_and_csv import class_csv, result_json
from ..outputs.junit import junit_xml
from ..outputs.marks import read_marks
from ..outputs.page import class_page

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
        write_whole(own / "feedback.txt", feedback(result, marks))
        write_json(own / "result.json", result_json(result, seed, marks))
        write_json(own / "gradescope.json", results_json(result, marks))
        write_whole(own / "junit.xml", junit_xml(result))
    write_whole(out / "class.csv", class_csv(results, by_hand))
    write_whole(out / "class.html", class_page(results, by_hand))
    return sorted(by_hand.keys() - {result.student for result in results})
