"""Show the solution of an exercise. It opens when yours passes."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.render import solution_text
from ...classroom.sandbox.runner import Sandbox
from ...classroom.student.folder import Folder
from ..options import utf8_text
from .terminal import say


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("id", nargs="?", type=utf8_text, metavar="ID", help="exercise (default: the next)")


def run(options) -> int:
    """Print the solution where the student's own passes."""
    folder = Folder()
    id = folder.chosen(options.id)
    with Sandbox() as sandbox:
        if not folder.check(id, sandbox, record=False).passed:
            say(f"The solution of {id} opens once yours passes. A hint may help: npformer class hint {id}")
            return 1
    print(solution_text(course.load(id)), end="")
    return 0
