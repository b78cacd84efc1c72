"""Open the next hint of an exercise; those opened before come first."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.format_report import hint_lines
from ...classroom.student.folder import Folder
from ..options import sentence
from .terminal import show

USAGE = "[ID]"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("id", nargs="?", type=sentence, metavar="ID", help="exercise (default: the next)")


def run(options) -> int:
    """Print the hints up to the next."""
    folder = Folder()
    hint(folder, folder.chosen(options.id))
    return 0


def hint(folder: Folder, id: str) -> None:
    """Print the hints of an exercise up to the next, and count it."""
    show(hint_lines(course.load(id), folder.progress.note_hint(id)))
