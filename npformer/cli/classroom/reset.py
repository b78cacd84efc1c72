"""Restore an exercise. What you wrote is kept in a file that ends in .old."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.student.folder import Folder
from ..options import utf8_text
from .terminal import say


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("id", type=utf8_text, metavar="ID", help="exercise")


def run(options) -> int:
    """Write the file again."""
    old = Folder().reset(course.load(options.id).id)
    say(f"It is as it was. What you wrote: {old}" if old else "It is as it was.")
    return 0
