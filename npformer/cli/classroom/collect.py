"""For teachers: bring submissions together, a folder a student, out of folders and zip files."""

from __future__ import annotations

from pathlib import Path

from ...classroom.teacher.collect import collect
from ..options import named
from .screen import say

USAGE = "--out DIR FOLDER | ZIP ..."


def add_options(parser) -> None:
    """Add what may be said."""
    what = "a student's folder or zip file, or a folder of those"
    parser.add_argument("sources", nargs="+", type=named, metavar="SOURCE", help=what)
    parser.add_argument("--out", type=named, required=True, metavar="DIR", help="folder to write below")


def run(options) -> int:
    """Copy the answers and say whose they are."""
    found = collect([Path(source) for source in options.sources], Path(options.out))
    for student, stems in found.items():
        say(f"{student}: {len(stems)} exercises" if stems else f"{student}: no exercise found")
    say(f"{len(found)} students are in {options.out}.", "title")
    return 0
