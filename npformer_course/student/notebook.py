"""The exercises inside a notebook: `from npformer_course import q`, then `q("softmax").check()`."""

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

from npformer.utils.errors import InputError, import_optional
from npformer.visualization.plots.heat_map import largest_magnitude

from .. import course
from ..case import case_at
from ..check_answer import check
from ..execution import Answer, Job
from ..exercise import Exercise
from ..files import solution_text
from ..format_report import Line, hint_lines, report_lines, say_part
from ..in_browser.in_process import answers_here
from ..report import Report
from ..sandbox.worker import Printed
from ..step.answer_step import AnswerStep, step_answer
from ..step.recording import record
from .folder import SEED
from .progress import NAME, Progress

HUES = {
    "right": "#2fa52f",
    "wrong": "#ff3b30",
    "error": "#ff3b30",
    "timeout": "#ff3b30",
    "question": "#2f80e0",
}
COLORS = {
    style: f"color-mix(in srgb, currentColor 40%, {hue})" for style, hue in HUES.items()
}  # on light and dark
STYLES = {"title": "font-weight: bold", "code": "font-family: monospace; white-space: pre-wrap"}
PICTURES = "The last axis runs across, all before it run down. Red is above 0, blue is below, gray is not a number."
RED, BLUE, GRAY = (178, 24, 43), (33, 102, 172), (153, 153, 153)


class Namespace:
    """What a notebook has defined so far, as a module; what it has not is not written yet."""

    __name__ = "answer"

    def __init__(self, names: dict):
        self.names = names

    @property
    def __files__(self) -> set[str]:
        """The cells whose functions are here, by the names that a traceback gives them."""
        own = (
            x
            for x in self.names.values()
            if isinstance(x, FunctionType) and x.__module__ == "__main__"
        )
        return {function.__code__.co_filename for function in own}

    def __getattr__(self, name: str):
        if name not in self.names:
            raise NotImplementedError(name)
        return self.names[name]


class CellOutput:
    """Lines and pictures, as a notebook shows them; a terminal prints the lines."""

    def __init__(self, lines: list[Line], pictures: str = ""):
        self.lines, self.pictures = lines, pictures

    def __repr__(self) -> str:
        return "\n".join("  " * line.indent + line.text for line in self.lines)

    def _repr_html_(self) -> str:
        rows = [
            f'<div style="margin-left: {line.indent}em; color: {COLORS.get(line.style, "inherit")}; '
            f'{STYLES.get(line.style, "")}">{html.escape(line.text) or "&nbsp;"}</div>'
            for line in self.lines
        ]
        return "\n".join([*rows, self.pictures])


class Question:
    """An exercise in a notebook."""

    def __init__(self, exercise: Exercise, names: dict):
        self.exercise, self.names = exercise, names

    def check(self) -> CellOutput:
        """Check what the notebook defines by now: what is right, what is wrong, and pictures of numbers that differ."""
        report = self.report()
        if progress := _progress_here():
            progress.note(report)
        return CellOutput([*report_lines(report)], _pictures_of(report))

    def why(self) -> CellOutput:
        """Say more about what is wrong, once something is written."""
        report = self.report()
        if not report.attempted:
            return CellOutput(
                [Line("plain", 0, "There is nothing to explain yet: write something first.")]
            )
        step = f'To see your lines run, with every array that they make: q("{self.exercise.id}").step()'
        return CellOutput([*report_lines(report, why=True), Line("plain", 0, step)])

    def hint(self) -> CellOutput:
        """Open the next hint; outside a student's folder all of them, since nothing counts them there."""
        progress = _progress_here()
        numbers = (
            [progress.note_hint(self.exercise.id)] if progress else range(len(self.exercise.hints))
        )
        return CellOutput([*hint_lines(self.exercise, *numbers)])

    def solution(self) -> CellOutput:
        """Show the solution, once yours passes."""
        if not self.report().passed:
            return CellOutput([Line("plain", 0, "The solution opens once yours passes.")])
        return CellOutput(
            [
                Line("code", 0, line)
                for line in solution_text(self.exercise).rstrip("\n").split("\n")
            ]
        )

    def require(self, part: str, *, seed: int = SEED) -> None:
        """Raise AssertionError unless a part is right at this seed: what a cell that grades asks."""
        result = next(result for result in self.report(seed).parts if result.name == part)
        if result.outcome != "right":
            raise AssertionError(f"{part}: {say_part(result)}")

    def report(self, seed: int = SEED) -> Report:
        """Check, in this process: what a student defined here lives here."""
        report = check(case_at(self.exercise.id, seed), "", self._answers)
        return replace(report, predicted=str(self.names.get("prediction", "")).lower())

    def step(self) -> AnswerStep:
        """Step through your lines on a draw on which they are wrong; `save("step.html")` of it writes a page."""
        return step_answer(
            case_at(self.exercise.id, SEED), "", "a cell", self._answers, self._recordings
        )

    def _answers(
        self, exercise: Exercise, text: str, jobs: Sequence[Job]
    ) -> tuple[list[Answer], str]:
        with exercise.closed_loops(self.names):
            return answers_here(exercise, Namespace(self.names), jobs)

    def _recordings(
        self, exercise: Exercise, text: str, jobs: Sequence[Job]
    ) -> tuple[list[Answer], str]:
        printed, student = Printed(), Namespace(self.names)
        with contextlib.redirect_stdout(printed), exercise.closed_loops(self.names):
            return [
                record(student, exercise.call(call), inputs) for call, inputs in jobs
            ], printed.take()


def _progress_here() -> Progress | None:
    """Return the progress of the folder that the notebook is in, or None where it is no student's folder."""
    return Progress(Path()) if (Path() / NAME).is_file() else None


def q(id: str) -> Question:
    """Return an exercise, to be checked against what this notebook defines. Raises `InputError` for another id."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    if shell is None:
        raise InputError("q is for notebooks: in a terminal type  npformer course check")
    return Question(course.load(id), shell.user_ns)


def _pictures_of(report: Report) -> str:
    """Return HTML with the parts whose numbers differ: yours, the expected, and the difference; nothing without any."""
    maps = []
    for part in report.parts:
        if part.got is not None and part.got.shape == part.expected.shape and part.got.size > 1:
            ours, right = (
                np.asarray(x, float).reshape(-1, x.shape[-1]) for x in (part.got, part.expected)
            )
            both = max(
                largest_magnitude(ours), largest_magnitude(right)
            )  # equal colors are equal numbers
            images = (
                ("yours", ours, both),
                ("expected", right, both),
                ("difference", ours - right, 0.0),
            )
            maps += [
                _heat_map(values, f"{part.name}: {title}", limit) for title, values, limit in images
            ]
    return (
        f'{PICTURES}<div style="display: flex; flex-wrap: wrap; gap: 1em">{"".join(maps)}</div>'
        if maps
        else ""
    )


def _heat_map(values: np.ndarray, title: str, limit: float) -> str:
    """Return values (rows, columns) as a picture in HTML, without matplotlib: Pyodide takes half a minute for that."""
    limit = limit or largest_magnitude(values) or 1.0
    share = np.clip(np.nan_to_num(values / limit), -1, 1)[..., None]
    colors = 255 - abs(share) * (255 - np.where(share > 0, RED, BLUE))
    colors[~np.isfinite(values)] = GRAY
    import_optional("PIL.Image", "npformer").fromarray(colors.astype(np.uint8)).save(
        content := io.BytesIO(), "png"
    )
    style = "image-rendering: pixelated; width: 100%; height: 9em; border: thin solid"
    image = f'<img alt="" style="{style}" src="data:image/png;base64,{base64.b64encode(content.getvalue()).decode()}">'
    return f'<div style="width: 30%; min-width: 7em">{html.escape(title)}, darkest {limit:.3g}{image}</div>'
