"""Explain what is wrong with an exercise: the fact, a question and the numbers."""

from __future__ import annotations

from ...classroom.format_report import report_lines
from ...classroom.sandbox.runner import Sandbox
from ...classroom.student.folder import Folder
from ..options import utf8_text
from .terminal import say, show


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument("id", nargs="?", type=utf8_text, metavar="ID", help="exercise (default: the next)")


def run(options) -> int:
    """Print what was found out."""
    folder = Folder()
    with Sandbox() as sandbox:
        why(folder, folder.chosen(options.id), sandbox)
    return 0


def why(folder: Folder, id: str, sandbox: Sandbox) -> None:
    """Print what was found out about an exercise, once there is something to find out."""
    report = folder.check(id, sandbox, record=False)
    if not report.attempted and not any(part.finding.text for part in report.parts):
        say(f"There is nothing to explain yet: write something into {folder.files[id]} first. A hint may help.")
        return
    show(report_lines(report, why=True))
