"""The check of functions that a notebook passes, and the functions with which it continues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from npformer.utils.errors import InputError

from ..case import case_at
from ..check_answer import check
from ..definition import Code, Exercise
from ..execution import Answer, Job
from ..format_report import SIGNS, say_part
from ..report import Report
from ..sandbox.in_process import answers_here
from ..words import listed
from .folder import SEED
from .namespace import Namespace
from .short_message import RIGHT, UNWRITTEN, WRONG, headline
from .stand_ins import names_called, names_to_write, run_hidden, stand_in, students_own


class FunctionCheck:
    """The check of some of an exercise's functions; its text is a short message.

    Fields:
        given: the student's functions by name, None where one is not written
        report: of the whole exercise, in which nothing but these functions is written
        states: right, wrong or not written yet, by name
    """

    def __init__(self, exercise: Exercise, functions: Sequence[Any], named: Mapping[str, Any]):
        self.exercise = exercise
        self.given = _by_name(exercise, functions, named)
        self.report = self._check()
        self.states = {name: self._state(name) for name in self.given}

    @property
    def is_complete(self) -> bool:
        """Whether these are all functions of the exercise."""
        return not self._left_out()

    def functions(self) -> Any:
        """Return the function with which the notebook continues, or a tuple of several.

        It is the student's where that is right, and npformer's otherwise.
        """
        functions = []
        for name, function in self.given.items():
            if self.states[name] != RIGHT:
                function = stand_in(self.exercise, name, function)
            functions.append(function)
        return functions[0] if len(functions) == 1 else tuple(functions)

    def __str__(self) -> str:
        lines = [self._headline()]

        for part in self.report.parts:
            if part.outcome not in ("right", "unattempted"):
                said = say_part(part).replace("\n", "\n    ")
                lines.append(f"  {SIGNS[part.outcome]} {part.name}: {said}")
                break  # the others often follow from the first
        return "\n".join(lines)

    def _headline(self) -> str:
        """Return the states and the points, or the other functions where these are right."""
        points = f"{self.report.points} of {self.report.out_of} points"
        if self.is_complete:
            return headline(self.states, points)

        others = listed(self._left_out())
        if set(self.states.values()) == {RIGHT}:
            # points of an exercise that was not written whole would read as a failure
            return f"{headline(self.states)} (the exercise also has {others})"
        return headline(self.states, f"{points} without {others}")

    def _left_out(self) -> list[str]:
        return [name for name in names_to_write(self.exercise) if name not in self.given]

    def _check(self) -> Report:
        written = {}
        for name, function in self.given.items():
            if function is not None:
                written[name] = function
        names = run_hidden(self.exercise.key)
        # what the exercise gives calls these functions by their names
        names.update(written)
        # and `student` has those that are written, not npformer's
        of_student = dict(names)  # a copy: these are the names that the given functions see
        for name in set(names_to_write(self.exercise)) - written.keys():
            of_student.pop(name, None)

        modules = set()
        own_globals: dict[str, Any] = {}
        for function in written.values():
            modules.add(getattr(function, "__module__", ""))
            own_globals |= getattr(function, "__globals__", {})
        student = Namespace(of_student, modules)

        def run(exercise: Exercise, code: Code, jobs: Sequence[Job]) -> tuple[list[Answer], str]:
            with exercise.closed_loops(own_globals):
                return answers_here(exercise, student, jobs)

        return check(case_at(self.exercise.id, SEED), "", run)

    def _state(self, name: str) -> str:
        outcomes = set()
        for part in self.report.parts:
            if part.call:
                if name in names_called(self.exercise, self.exercise.call(part.call)):
                    outcomes.add(part.outcome)
            elif part.outcome == "wrong":
                outcomes.add(WRONG)  # inputs were changed: nothing says by which of the functions
        if outcomes == {"unattempted"}:
            return UNWRITTEN
        return RIGHT if outcomes == {"right"} else WRONG


def _by_name(
    exercise: Exercise, functions: Sequence[Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what was passed, by the names of the exercise, None for what is not written.

    Raises `InputError` for functions that the exercise does not ask for.
    """
    wanted = names_to_write(exercise)
    pairs = []
    for index, function in enumerate(functions):
        # what is not written has no name: it is the function at its place
        name = getattr(function, "__name__", type(function).__name__)
        if (function is None or function is ...) and index < len(wanted):
            name = wanted[index]
        pairs.append((name, function))
    pairs += named.items()

    given = {}
    for name, function in pairs:
        function = students_own(function)
        is_function = function is None or callable(function)
        if name not in wanted or name in given or not is_function:
            got = ", ".join(name for name, _ in pairs)
            raise InputError(
                f"exercise {exercise.id} got {got}: expected {listed(wanted, 'or')}, each at most "
                f"once; a function of another name is passed as in check({wanted[0]}=f)"
            )
        given[name] = function
    return given
