"""Show the next hint of an exercise, and those before it."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.format_report import hint_lines
from ...classroom.student.folder import Folder
from ..options import utf8_text
from .terminal import show


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("id", nargs="?", type=utf8_text, metavar="ID", help="exercise (default: the next)")


def run(options) -> int:
    """Print the hints up to the next."""
    folder = Folder()
    hint(folder, folder.chosen(options.id))
    return 0


def hint(folder: Folder, id: str) -> None:
    """Print the hints of an exercise up to the next, and count it."""
    show(hint_lines(course.load(id), folder.progress.note_hint(id)))
