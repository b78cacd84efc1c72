"""The exercises inside a notebook: `softmax = exercise("softmax").check(softmax)`."""

from __future__ import annotations

import contextlib
import html
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from npformer.utils.errors import InputError

from .. import course
from ..case import case_at
from ..check_answer import check
from ..definition import Code, Exercise
from ..execution import Answer, Job
from ..files import solution_text
from ..format_report import NOTHING_WRONG, Line, hint_lines, report_lines, say_part
from ..report import Report
from ..sandbox.in_process import answers_here
from ..sandbox.worker import Printed
from ..step.answer_step import AnswerStep, step_answer
from ..step.recording import record
from .blank import Blank
from .folder import SEED
from .function_check import FunctionCheck
from .heat_maps import pictures_of
from .kept import keep
from .namespace import Namespace
from .progress import NAME, Progress
from .short_message import RIGHT, one_line_errors
from .stand_ins import names_to_write

HUES = {
    "right": "#2fa52f",
    "wrong": "#ff3b30",
    "error": "#ff3b30",
    "timeout": "#ff3b30",
    "question": "#2f80e0",
}
STYLES = {"title": "font-weight: bold", "code": "font-family: monospace; white-space: pre-wrap"}
NOTHING_YET = "There is nothing to explain yet: write something first."
STEP = "To see your lines run, with every array that they make"


class CellOutput:
    """Lines and pictures, as a notebook shows them; a terminal prints the lines."""

    def __init__(self, lines: Iterable[Line], pictures: str = ""):
        self.lines = list(lines)
        self.pictures = pictures

    def __repr__(self) -> str:
        return "\n".join("  " * line.indent + line.text for line in self.lines)

    def _repr_html_(self) -> str:
        rows = [_line_html(line) for line in self.lines]
        return "\n".join([*rows, self.pictures])


def _line_html(line: Line) -> str:
    color = "inherit"
    if line.style in HUES:  # on light and dark
        color = f"color-mix(in srgb, currentColor 40%, {HUES[line.style]})"
    style = f"margin-left: {line.indent}em; color: {color}; {STYLES.get(line.style, '')}"
    return f'<div style="{style}">{html.escape(line.text) or "&nbsp;"}</div>'


class NotebookExercise:
    """An exercise in a notebook.

    `names` are what the notebook defines, None elsewhere: there functions are passed to `check`.
    """

    def __init__(self, exercise: Exercise, names: dict | None):
        self.exercise = exercise
        self._names = names

    @property
    def names(self) -> dict:
        """What the notebook defines. Raises `InputError` outside a notebook."""
        if self._names is None:
            name = names_to_write(self.exercise)[0]
            raise InputError(
                "this looks for what a notebook defines, and here is none: "
                f'pass what you wrote, as in exercise("{self.exercise.id}").check({name}), '
                "or type  npformer course check  in a terminal"
            )
        return self._names

    @one_line_errors()
    def check(self, *functions: Any, **named: Any) -> Any:
        """Check functions, print a short message, and return those to continue with.

        Each is the one that was passed where that is right. Where it is wrong, or not written yet
        (it raises NotImplementedError, or is None), it is npformer's own, and the message says so.
        Functions have the names that the exercise asks for, in any order, or are passed by these
        names. Of several functions the result is a tuple.

        Without functions it checks what the notebook defines now, and shows what is right, what is
        wrong, and pictures of numbers that differ.
        """
        if functions or named:
            return self._check_functions(functions, named)
        report = self.report()
        progress = _progress_here()
        if progress:
            progress.note(report)
        return CellOutput(report_lines(report), pictures_of(report))

    def _check_functions(self, functions: Sequence[Any], named: Mapping[str, Any]) -> Any:
        checked = FunctionCheck(self.exercise, functions, named)
        progress = _progress_here()
        if progress and checked.is_complete:
            progress.note(checked.report)
        print(checked)
        if self._names is not None and not progress:
            self._keep(checked)
        return checked.functions()

    def _keep(self, checked: FunctionCheck) -> None:
        """Keep what is right for later notebooks."""
        right = {}
        for name, function in checked.given.items():
            if checked.states[name] == RIGHT:
                right[name] = function
        if not right:
            return
        try:
            print(f"  kept in {keep(self.exercise, right).as_posix()}")
        except InputError as error:
            print(f"  not kept for later notebooks: {error}")

    @one_line_errors()
    def on(self, **inputs: Any) -> Blank:
        """Return a blank: `check` compares arrays that you compute from these inputs.

        The inputs have the names of a function's arguments in the exercise, and any shapes that it
        takes. Raises `InputError` for others.
        """
        return Blank(self.exercise, inputs)

    @one_line_errors()
    def why(self) -> CellOutput:
        """Say more about what is wrong, once something is written."""
        report = self.report()
        if not report.attempted:
            return CellOutput([Line("plain", 0, NOTHING_YET)])
        if report.passed:
            return CellOutput([Line("right", 0, NOTHING_WRONG)])
        step = Line("plain", 0, f'{STEP}: exercise("{self.exercise.id}").step()')
        return CellOutput([*report_lines(report, why=True), step])

    @one_line_errors()
    def hint(self) -> CellOutput:
        """Open the next hint.

        Outside a student's folder it opens all of them, since nothing counts them there.
        """
        progress = _progress_here()
        if progress:
            return CellOutput(hint_lines(self.exercise, progress.note_hint(self.exercise.id)))
        return CellOutput(hint_lines(self.exercise, *range(len(self.exercise.hints))))

    @one_line_errors()
    def solution(self) -> CellOutput:
        """Show the solution, once yours passes."""
        if not self.report().passed:
            return CellOutput([Line("plain", 0, "The solution opens once yours passes.")])
        lines = solution_text(self.exercise).rstrip("\n").split("\n")
        return CellOutput([Line("code", 0, line) for line in lines])

    def require(self, part: str, *, seed: int = SEED) -> None:
        """Raise AssertionError unless a part is right at this seed, as a grading cell asks."""
        results = {result.name: result for result in self.report(seed).parts}
        if results[part].outcome != "right":
            raise AssertionError(f"{part}: {say_part(results[part])}")

    def report(self, seed: int = SEED) -> Report:
        """Check, in this process: what a student defined here exists only here."""
        # without a text, because `_answers` calls what the notebook defines
        report = check(case_at(self.exercise.id, seed), "", self._answers)
        # the notebook may use this name for anything
        return replace(report, predicted=str(self.names.get("prediction", "")).lower())

    @one_line_errors()
    def step(self) -> AnswerStep:
        """Step through your lines on a draw on which they are wrong.

        `save("step.html")` of the result writes a page.
        """
        case = case_at(self.exercise.id, SEED)
        return step_answer(case, "", "a cell", self._answers, self._recordings)

    def _answers(
        self, exercise: Exercise, code: Code, jobs: Sequence[Job]
    ) -> tuple[list[Answer], str]:
        student = Namespace(self.names)
        with exercise.closed_loops(self.names):
            return answers_here(exercise, student, jobs)

    def _recordings(
        self, exercise: Exercise, code: Code, jobs: Sequence[Job]
    ) -> tuple[list[Answer], str]:
        student = Namespace(self.names)
        printed = Printed()
        answers = []
        with contextlib.redirect_stdout(printed), exercise.closed_loops(self.names):
            for call, inputs in jobs:
                answers.append(record(student, exercise.call(call), inputs))
        return answers, printed.take()


def _progress_here() -> Progress | None:
    """Return the progress of the notebook's folder, or None where it is not a student's."""
    if not (Path() / NAME).is_file():
        return None
    return Progress(Path())


@one_line_errors()
def exercise(id: str) -> NotebookExercise:
    """Return an exercise, to be checked in this notebook.

    Raises `InputError` for another id.
    """
    # in a notebook it is imported already; elsewhere it need not even be installed
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return NotebookExercise(course.load(id), shell.user_ns if shell else None)
