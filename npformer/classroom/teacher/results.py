"""Writing down a grading: a folder a student, and the class as a table and a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...base.files import make_folder, write_json, write_whole
from ..outputs.gradescope import results_json
from ..outputs.json_and_csv import class_csv, result_json
from ..outputs.junit import junit_xml
from ..outputs.marks import read_marks
from ..outputs.page import class_page
from .grading import Result


def write_results(results: Sequence[Result], out: Path, seed: int) -> None:
    """Write result.json, gradescope.json and junit.xml of each student, and class.csv and class.html.

    Nothing in them tells when they were written: grading again writes the same. Marks given by hand are added.
    """
    make_folder(out)
    by_hand = read_marks(out)
    for result in results:
        own = out / result.student
        make_folder(own)
        write_json(own / "result.json", result_json(result, seed))
        write_json(own / "gradescope.json", results_json(result))
        write_whole(own / "junit.xml", junit_xml(result))
    write_whole(out / "class.csv", class_csv(results, by_hand))
    write_whole(out / "class.html", class_page(results, by_hand))
