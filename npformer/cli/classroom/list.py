"""Show the exercises of this folder, and which of them pass."""

from __future__ import annotations

from ...classroom import index as course
from ...classroom.format_report import Line
from ...classroom.student.folder import Folder
from .terminal import show, times


def add_options(parser) -> None:
    """Take nothing."""


def run(options) -> int:
    """Print the exercises."""
    show(exercises(Folder()))
    return 0


def exercises(folder: Folder):
    """Yield a line for each exercise, and how many are done."""
    for id in folder.files:
        exercise, entry = course.load(id), folder.progress[id]
        style, sign = ("right", "✓") if entry.passed else ("plain", "·")
        tried = f", tried {times(entry.attempts)}" if entry.attempts and not entry.passed else ""
        yield Line(
            style, 0, f"{sign} {exercise.number:02} {id} ({exercise.points} points, {exercise.minutes} min{tried})"
        )
    done = [id for id in folder.files if folder.progress[id].passed]
    points = [sum(course.load(id).points for id in ids) for ids in (done, folder.files)]
    yield Line("title", 0, f"{len(done)} of {len(folder.files)} exercises, {points[0]} of {points[1]} points")
