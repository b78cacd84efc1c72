"""Grade a class (for teachers). The results of all students are written to a folder."""

from __future__ import annotations

import time
from pathlib import Path

from ...classroom import index as course
from ...classroom.format_report import counted
from ...classroom.grading.exercise_sets import chosen
from ...classroom.grading.grading import SEED, grade
from ...classroom.grading.marks import MARKS, read_marks
from ...classroom.grading.results import write_results
from ...classroom.report import Report, total
from ...classroom.sandbox.runner import SECONDS
from ..options import file_name, utf8_text, whole_number
from ..output import print_error
from .release import SETS
from .terminal import say


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("folder", type=file_name, metavar="DIR", help="what npformer class collect wrote")
    parser.add_argument("--set", type=utf8_text, default="all", metavar="SET", help=SETS)
    parser.add_argument(
        "--out", type=file_name, default="results", metavar="DIR", help="folder to write to (default results)"
    )
    parser.add_argument("--seed", type=whole_number(0), default=SEED, help=f"seed of the draws (default {SEED})")
    seconds = f"time limit of loading a file, and of each call (default {SECONDS:g})"
    parser.add_argument("--seconds", type=whole_number(1), default=SECONDS, help=seconds)
    workers = "answers that run at a time (default: one a core)"
    parser.add_argument("--workers", type=whole_number(1), metavar="N", help=workers)


def run(options) -> int:
    """Grade, and print a line per student."""
    begin = time.monotonic()
    out, ids = Path(options.out), chosen(options.set)
    read_marks(out, ids)  # what is wrong there is to be known before the class is graded, not after
    results = grade(
        Path(options.folder),
        ids,
        seed=options.seed,
        seconds=options.seconds,
        workers=options.workers,
        report=_Progress(),
    )
    for student in write_results(results, out, options.seed):
        print_error(f"{out / MARKS} has marks for {student or 'nobody'}, whose answers are not in {options.folder}")
    say(
        f"{counted(len(results), 'student')} in {time.monotonic() - begin:.0f} s. The class: {out / 'class.html'}",
        "title",
    )
    return 0


class _Progress:
    """Prints a line for each student who is graded."""

    def __init__(self):
        self.number = 0

    def __call__(self, student: str, reports: list[Report], n_students: int) -> None:
        self.number += 1
        missing = [course.stem(report.exercise)[:2] for report in reports if _is_missing(report)]
        lacks = f"; not handed in: {', '.join(missing)}" if missing else ""
        lacks = "; nothing handed in" if len(missing) == len(reports) else lacks
        points, out_of = total(reports)
        say(f"{self.number:>{len(str(n_students))}}/{n_students} {student}: {points} of {out_of}{lacks}")


def _is_missing(report: Report) -> bool:
    """Tell whether there was no file."""
    return all(part.finding.id == "no_file" for part in report.parts)
