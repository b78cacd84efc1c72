"""Collect submissions (for teachers). Folders and zip files become one folder per student."""

from __future__ import annotations

from pathlib import Path

from ...classroom.format_report import counted
from ...classroom.grading.collect import collect
from ..options import file_name, utf8_text
from ..output import print_error
from .terminal import say


def add_options(parser) -> None:
    """Add the options."""
    what = "a student's folder or zip file, or a folder of those"
    parser.add_argument("sources", nargs="+", type=file_name, metavar="SOURCE", help=what)
    parser.add_argument("--out", type=file_name, required=True, metavar="DIR", help="folder to write below")
    whose = "whose all of it is (default: the folders' and zip files' names)"
    parser.add_argument("--student", type=utf8_text, default="", metavar="NAME", help=whose)


def run(options) -> int:
    """Copy the answers and say whose they are; return 1 where something could not be taken."""
    students, problems = collect([Path(source) for source in options.sources], Path(options.out), options.student)
    for student, stems in students.items():
        say(f"{student}: {counted(len(stems), 'exercise')}" if stems else f"{student}: no exercise found")
    for problem in problems:
        print_error(problem)
    say(f"{counted(len(students), 'student')} in {options.out}", "title")
    return 1 if problems else 0
