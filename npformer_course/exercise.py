"""Exercises: a text, calls of the student's functions with points, mistakes, hints, alternatives."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from npformer.utils import InputError

from .percent_format import Cell, code, functions_in, read_cells, without_marks, without_solution

PART = "{part}"  # in a mistake's text: the name of a result
UNCHANGED = "inputs unchanged"  # the part that every exercise with arrays as inputs has


@dataclass(frozen=True)
class Call:
    """One way in which the student's functions are called, and the points of what comes back.

    `run(student, ...)` takes the student's file as a module and, by their names, those of the drawn inputs that it
    wants; it returns one result for each of `parts`, in order (a single one bare, several as a tuple).
    """

    run: Callable
    parts: Mapping[str, int]

    @property
    def name(self) -> str:
        """The name of `run`."""
        return self.run.__name__

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the drawn inputs that `run` takes."""
        return self.run.__code__.co_varnames[1 : self.run.__code__.co_argcount]


class Edit(NamedTuple):
    """A mistake to plant: `wrong` stands where `right` stood, once."""

    right: str
    wrong: str

    def apply(self, source: str) -> str:
        """Return the edited source. Raises `InputError` unless `right` is in it once."""
        if source.count(self.right) != 1:
            raise InputError(
                f"{self.right!r} stands {source.count(self.right)} times in the source, expected once"
            )
        return source.replace(self.right, self.wrong)


class Mistake:
    """A wrong variant of the solution that people really write, and what to say of it.

    `says` is a fact about the answer, `ask` a question that leads to the reason; neither holds the fix. With the
    placeholder {part}, `says` is about any one result; without it about all results that the mistake spoils, and then
    it appears only if the answer has all of them.
    """

    def __init__(self, id: str, says: str, *edits: Edit, ask: str):
        self.id, self.says, self.ask, self.edits = id, says, ask, edits

    def describe(self, part: str) -> tuple[str, str]:
        """Return the statement and the question about a part with this mistake."""
        return self.says.replace(PART, part), self.ask.replace(PART, part)


@dataclass(frozen=True)
class Prediction:
    """A question to be answered before writing; `answer` is the letter of the right choice. It costs no points."""

    question: str
    choices: Mapping[str, str]
    answer: str
    because: str


@dataclass(frozen=True)
class Exercise:
    """An exercise; `course.load` reads one from its file."""

    id: str
    number: int
    points: int
    minutes: int
    level: int
    needs: tuple[str, ...]
    notebook: str
    cells: tuple[Cell, ...]  # without the teacher's
    inputs: Callable
    calls: tuple[Call, ...]
    prediction: Prediction
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, ...]
    alternatives: tuple[str, ...]
    unchanged: int = 1  # the points for leaving the inputs as they were
    slow: Mapping[str, Callable] = field(default_factory=dict)  # by call: the same results by loops
    terms: Mapping[str, Callable] = field(
        default_factory=dict
    )  # by part: named terms whose sum is right
    sizes: Mapping[str, tuple[int, int]] = field(
        default_factory=dict
    )  # smallest and largest, where not the usual
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by part: see `View.entries`
    where: Mapping[str, Callable] = field(
        default_factory=dict
    )  # by part: the place of each entry in words
    fill_values: Mapping[str, float] = field(
        default_factory=dict
    )  # by part: our own number for what did not come

    @cached_property
    def title(self) -> str:
        """The first heading of the text."""
        return next(line for line in self.cells[0].text.split("\n") if line.startswith("# # "))[4:]

    @property
    def worth(self) -> dict[str, int]:
        """The points of every part by its name, those for unchanged inputs last."""
        points = {part: n for call in self.calls for part, n in call.parts.items()}
        return points | ({UNCHANGED: self.unchanged} if self.unchanged else {})

    @cached_property
    def key(self) -> str:
        """The code with the solution."""
        return without_marks(code(list(self.cells)))

    @cached_property
    def stub(self) -> str:
        """The code as a student gets it."""
        return without_solution(code(list(self.cells)))

    @cached_property
    def given_functions(self) -> set[str]:
        """The names of the functions that a student gets with a body."""
        return {
            node.name
            for node in functions_in(self.stub)
            if "NotImplementedError" not in ast.unparse(node)
        }

    @contextmanager
    def closed_loops(self, names: Mapping[str, object]) -> Iterator[None]:
        """Within this block the slow loops of the text, found among names, raise, by whatever name they are called."""
        loops = (names.get(name) for name in self.given_functions if name.endswith("_slowly"))
        codes = {
            loop: loop.__code__
            for loop in loops
            if isinstance(loop, types.FunctionType) and not loop.__closure__
        }
        try:
            for loop in codes:
                loop.__code__ = _raise.__code__
            yield
        finally:
            for loop, code in codes.items():
                loop.__code__ = code

    def mistaken(self, mistake: Mistake) -> str:
        """Return the code with a mistake in it."""
        text = self.key
        for edit in mistake.edits:
            text = edit.apply(text)
        return text

    def reached(self, call: Call, text: str) -> set[str]:
        """Return the functions of an answer that a call runs, by way of one; empty where the call names several."""
        bodies = {
            f.name: ast.unparse(f) for f in functions_in(text) if f.name not in self.given_functions
        }
        called = bodies.keys() & {*call.run.__code__.co_names}
        names = called if len(called) == 1 else set()
        while (
            more := {name for name in bodies if any(f"{name}(" in bodies[one] for one in names)}
            - names
        ):
            names |= more
        return names

    def argument_names(self, call: Call) -> dict[str, str]:
        """Return the inputs of a call that the student's functions take, with the names of their arguments.

        The input x_heads is the argument x.
        """
        to_write = [
            function
            for function in functions_in(self.key)
            if function.name not in self.given_functions
        ]
        arguments = {argument.arg for function in to_write for argument in function.args.args}
        names: dict[str, str] = {}
        for name in call.inputs:
            fitting = [
                a
                for a in arguments
                if name == a or name.startswith(f"{a}_") or name.endswith(f"_{a}")
            ]
            own = max(fitting, key=len, default="")
            if own and (own == name or own not in call.inputs) and own not in names.values():
                names[name] = own
        return names

    def call(self, name: str) -> Call:
        """Return the call of a name."""
        return next(call for call in self.calls if call.name == name)


def _raise(*positional, **by_name) -> None:
    raise RuntimeError(
        "a function in _slowly is not available while an answer is checked: it is the definition"
    )


def module_of(text: str, name: str = "answer") -> types.ModuleType:
    """Run code and return it as a module."""
    module = types.ModuleType(name)
    linecache.cache[f"{name}.py"] = len(text), None, text.splitlines(keepends=True), f"{name}.py"
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module


def read_exercise(path: Path, module: types.ModuleType) -> Exercise:
    """Return the exercise of a file that `module` has run."""
    head, cells = read_cells(path.read_text(encoding="utf-8"))
    first = head.split("\n")[0].removeprefix("# ")
    facts = dict(entry.split(": ", 1) for entry in first.split(" | "))
    optional = ("unchanged", "slow", "terms", "sizes", "axes", "where", "fill_values")
    return Exercise(
        id=facts["id"],
        number=int(path.stem[:2]),
        points=int(facts["points"]),
        minutes=int(facts["minutes"]),
        level=int(facts["level"]),
        needs=tuple(facts["needs"].replace("-", "").split()),
        notebook=facts["notebook"].strip("-"),
        cells=tuple(cell for cell in cells if "teacher" not in cell.tags),
        inputs=module.inputs,
        calls=tuple(module.CALLS),
        prediction=module.PREDICTION,
        mistakes=tuple(module.MISTAKES),
        hints=tuple(module.HINTS),
        alternatives=tuple(module.ALTERNATIVES),
        **{
            name: getattr(module, name.upper())
            for name in optional
            if hasattr(module, name.upper())
        },
    )
