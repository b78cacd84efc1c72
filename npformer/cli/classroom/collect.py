"""For teachers: bring submissions together, a folder a student, out of folders and zip files."""

from __future__ import annotations

from pathlib import Path

from ...classroom.format_report import counted
from ...classroom.grading.collect import collect
from ..options import named, sentence
from ..output import tell
from .terminal import say

USAGE = "[options] --out DIR SOURCE ..."


def add_options(parser) -> None:
    """Add what may be said."""
    what = "a student's folder or zip file, or a folder of those"
    parser.add_argument("sources", nargs="+", type=named, metavar="SOURCE", help=what)
    parser.add_argument("--out", type=named, required=True, metavar="DIR", help="folder to write below")
    whose = "whose all of it is (default: the folders' and zip files' names)"
    parser.add_argument("--student", type=sentence, default="", metavar="NAME", help=whose)


def run(options) -> int:
    """Copy the answers and say whose they are; return 1 where something could not be taken."""
    students, problems = collect([Path(source) for source in options.sources], Path(options.out), options.student)
    for student, stems in students.items():
        say(f"{student}: {counted(len(stems), 'exercise')}" if stems else f"{student}: no exercise found")
    for problem in problems:
        tell(problem)
    say(f"{counted(len(students), 'student')} in {options.out}", "title")
    return 1 if problems else 0
