"""Give an exercise back as it was; what you wrote stays beside it, with .old at the end of its name."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.student.folder import Folder
from ..options import sentence
from .terminal import say

USAGE = "ID"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("id", type=sentence, metavar="ID", help="exercise")


def run(options) -> int:
    """Write the file anew."""
    old = Folder().reset(course.load(options.id).id)
    say(f"It is as it was. What you wrote: {old}" if old else "It is as it was.")
    return 0
