"""The exercises inside a notebook: `from npformer.classroom import q`, then `q("softmax").check()`."""

from __future__ import annotations

import base64
import contextlib
import html
import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import numpy as np

from ...utils.errors import InputError
from ...visualization.plots import new_figure, plot_heat_map
from ...visualization.plots.heat_map import largest_magnitude
from .. import index as course
from ..check_answer import check
from ..execution import Answer, Job
from ..exercise import Exercise
from ..exercise_at_seed import case_at
from ..exercise_files import solution_text
from ..format_report import Line, hint_lines, report_lines, say_part
from ..in_browser.in_process import answers_here
from ..report import Report
from ..sandbox.worker import Printed
from ..step.answer_step import AnswerStep, step_answer
from ..step.recording import record
from .folder import SEED
from .progress import NAME, Progress

HUES = {"right": "#2fa52f", "wrong": "#ff3b30", "error": "#ff3b30", "timeout": "#ff3b30", "question": "#2f80e0"}
COLORS = {style: f"color-mix(in srgb, currentColor 40%, {hue})" for style, hue in HUES.items()}  # on light and dark
STYLES = {"title": "font-weight: bold", "code": "font-family: monospace; white-space: pre-wrap"}
PICTURES = "In the pictures the last axis runs across, and all axes before it run down, one below the other."


class Namespace:
    """What a notebook has defined so far, as a module; what it has not is not written yet."""

    __name__ = "answer"

    def __init__(self, names: dict):
        self.names = names

    @property
    def __files__(self) -> set[str]:
        """The cells whose functions are here, by the names that a traceback gives them."""
        own = (x for x in self.names.values() if isinstance(x, FunctionType) and x.__module__ == "__main__")
        return {function.__code__.co_filename for function in own}

    def __getattr__(self, name: str):
        if name not in self.names:
            raise NotImplementedError(name)
        return self.names[name]


class CellOutput:
    """Lines and a picture, as a notebook shows them; a terminal prints the lines."""

    def __init__(self, lines: list[Line], picture: bytes = b""):
        self.lines, self.picture = lines, picture

    def __repr__(self) -> str:
        return "\n".join("  " * line.indent + line.text for line in self.lines)

    def _repr_html_(self) -> str:
        rows = [
            f'<div style="margin-left: {line.indent}em; color: {COLORS.get(line.style, "inherit")}; '
            f'{STYLES.get(line.style, "")}">{html.escape(line.text) or "&nbsp;"}</div>'
            for line in self.lines
        ]
        if self.picture:
            data = base64.b64encode(self.picture).decode()
            rows.append(f'<div style="margin-top: 1em">{PICTURES}</div>')
            rows.append(f'<img alt="yours, expected, and the difference" src="data:image/png;base64,{data}">')
        return "\n".join(rows)


class Question:
    """An exercise in a notebook."""

    def __init__(self, exercise: Exercise, names: dict):
        self.exercise, self.names = exercise, names

    def check(self) -> CellOutput:
        """Check what the notebook defines by now: what is right, what is wrong, and pictures of numbers that differ."""
        report = self.report()
        if progress := _progress_here():
            progress.note(report)
        return CellOutput([*report_lines(report)], _picture_of(report))

    def why(self) -> CellOutput:
        """Say more about what is wrong, once something is written."""
        report = self.report()
        if not report.attempted:
            return CellOutput([Line("plain", 0, "There is nothing to explain yet: write something first.")])
        return CellOutput([*report_lines(report, why=True)])

    def hint(self) -> CellOutput:
        """Open the next hint; outside a student's folder all of them, since nothing counts them there."""
        progress = _progress_here()
        numbers = [progress.note_hint(self.exercise.id)] if progress else range(len(self.exercise.hints))
        return CellOutput([*hint_lines(self.exercise, *numbers)])

    def solution(self) -> CellOutput:
        """Show the solution, once yours passes."""
        if not self.report().passed:
            return CellOutput([Line("plain", 0, "The solution opens once yours passes.")])
        return CellOutput([Line("code", 0, line) for line in solution_text(self.exercise).rstrip("\n").split("\n")])

    def require(self, part: str, *, seed: int = SEED) -> None:
        """Raise AssertionError unless a part is right at this seed: what a cell that grades asks."""
        found = next(found for found in self.report(seed).parts if found.name == part)
        if found.outcome != "right":
            raise AssertionError(f"{part}: {say_part(found)}")

    def report(self, seed: int = SEED) -> Report:
        """Check, in this process: what a student defined here lives here."""
        report = check(case_at(self.exercise.id, seed), "", self._answers)
        return replace(report, predicted=str(self.names.get("prediction", "")).lower())

    def step(self) -> AnswerStep:
        """Step through your lines on a draw on which they are wrong; `save("step.html")` of it writes a page."""
        return step_answer(case_at(self.exercise.id, SEED), "", "a cell", self._answers, self._recordings)

    def _answers(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        with exercise.closed_loops(self.names):
            return answers_here(exercise, Namespace(self.names), jobs)

    def _recordings(self, exercise: Exercise, text: str, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
        printed, student = Printed(), Namespace(self.names)
        with contextlib.redirect_stdout(printed), exercise.closed_loops(self.names):
            return [record(student, exercise.call(call), inputs) for call, inputs in jobs], printed.take()


def _progress_here() -> Progress | None:
    """Return the progress of the folder that the notebook is in, or None where it is no student's folder."""
    return Progress(Path()) if (Path() / NAME).is_file() else None


def q(id: str) -> Question:
    """Return an exercise, to be checked against what this notebook defines. Raises `InputError` for another id."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    if shell is None:
        raise InputError("q is for notebooks: in a terminal type  npformer class check")
    return Question(course.load(id), shell.user_ns)


def _picture_of(report: Report) -> bytes:
    """Return a PNG of the parts whose numbers differ: yours, the expected, and the difference; nothing without any."""
    compared = [part for part in report.parts if part.got is not None]
    wrong = [part for part in compared if part.got.shape == part.expected.shape and part.got.size > 1]
    if not wrong:
        return b""
    figure, axes = new_figure(len(wrong), 3, width=10, height=2.6 * len(wrong))
    for row, part in zip(np.reshape(axes, (-1, 3)), wrong, strict=True):
        ours, right = (np.asarray(x, float).reshape(-1, x.shape[-1]) for x in (part.got, part.expected))
        both = max(largest_magnitude(ours), largest_magnitude(right))  # equal colors are equal numbers
        shown = (("yours", ours, both), ("expected", right, both), ("difference", ours - right, None))
        for ax, (title, values, limit) in zip(row, shown, strict=True):
            plot_heat_map(ax, values, title=f"{part.name}: {title}", limit=limit)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=80)
    return content.getvalue()
