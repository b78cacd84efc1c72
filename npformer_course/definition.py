"""Exercises: a text, calls of the student's functions with points, mistakes and hints."""

from __future__ import annotations

import ast
import linecache
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from npformer.utils import InputError

from .jupyter_syntax import python_of
from .percent_format import Cell, code, functions_in, without_marks, without_solution

Code = str | tuple[str, ...]  # the text of a .py file, or the code cells of a notebook
PART = "{part}"  # in a mistake's text: the name of a result
UNCHANGED = "inputs unchanged"  # the part that every exercise with arrays as inputs has


@dataclass(frozen=True)
class Call:
    """One way in which the student's functions are called, and the points of what comes back.

    `run(student, ...)` takes the student's file as a module and, by their names, the drawn inputs
    that it needs. It returns one result for each of `parts`, in order: a single one bare, several
    as a tuple.
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
        code = self.run.__code__
        # all arguments but the first, which is the student's module
        return code.co_varnames[1 : code.co_argcount]


class Edit(NamedTuple):
    """A mistake to plant: `wrong` replaces `right`, which occurs once."""

    right: str
    wrong: str

    def apply(self, source: str) -> str:
        """Return the edited source. Raises `InputError` unless `right` is in it once."""
        n = source.count(self.right)
        if n != 1:
            raise InputError(f"{self.right!r} stands {n} times in the source, expected once")
        return source.replace(self.right, self.wrong)


class Mistake:
    """A wrong variant of the solution that people really write, and what to say of it.

    `says` is a fact about the answer, `ask` a question that leads to the reason; neither holds the
    fix. With the placeholder {part}, `says` is about any one result; without it about all results
    that the mistake spoils, and then it appears only if the answer has all of them.
    """

    def __init__(self, id: str, says: str, *edits: Edit, ask: str):
        self.id = id
        self.says = says
        self.ask = ask
        self.edits = edits

    def describe(self, part: str) -> tuple[str, str]:
        """Return the statement and the question about a part with this mistake."""
        return self.says.replace(PART, part), self.ask.replace(PART, part)


@dataclass(frozen=True)
class Prediction:
    """A question to be answered before writing. It costs no points.

    `answer` is the letter of the right choice.
    """

    question: str
    choices: Mapping[str, str]
    answer: str
    because: str


@dataclass(frozen=True)
class Exercise:
    """An exercise, as its teacher.py declares it; `course.load` adds what its other files hold.

    Arguments:
        minutes: How long it takes, reading included.
        difficulty: From 1, a line that one knows how to write, to 5, an evening.
        importance: From 1, a detail, to 5, what no reader of the paper should skip.
        inputs: A function that draws the inputs: `inputs(draw, B, T, D)`.
        calls: How the student's functions are called.
        prediction: The question to be answered before writing.
        hints: Three, each of which gives away more than the one before.
        needs: The ids of the exercises that come before it.
        unchanged: The points for leaving the inputs as they were.
        slow: By call, the same results by loops.
        terms: By part, named terms whose sum is right.
        sizes: By letter, the smallest and the largest size, where they are not the usual ones.
        axes: By part, see `Comparison.entries`.
        where: By part, a function that returns the place of each entry in words.
        fill_values: By part, our own number for a result that was not given.
        id: Its name.
        number: That of the notebook that it belongs to.
        cells: What the student gets, with the solution.
        mistakes: What people write in place of the solution.
        alternatives: Other right solutions, as code.
    """

    minutes: int
    difficulty: int
    importance: int
    inputs: Callable
    calls: Sequence[Call]
    prediction: Prediction
    hints: Sequence[str]
    needs: tuple[str, ...] = ()
    unchanged: int = 1
    slow: Mapping[str, Callable] = field(default_factory=dict)
    terms: Mapping[str, Callable] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    where: Mapping[str, Callable] = field(default_factory=dict)
    fill_values: Mapping[str, float] = field(default_factory=dict)

    # from the folder of the exercise, by `course.load`
    id: str = ""
    number: int = 0
    cells: tuple[Cell, ...] = ()
    mistakes: Sequence[Mistake] = ()
    alternatives: Sequence[str] = ()

    @cached_property
    def title(self) -> str:
        """The first heading of the text."""
        for line in self.cells[0].text.split("\n"):
            if line.startswith("# # "):
                return line[4:]
        raise InputError(f"exercise {self.id} has no heading in its first cell")

    @property
    def points(self) -> int:
        """The points of all parts together."""
        return sum(self.worth.values())

    @property
    def worth(self) -> dict[str, int]:
        """The points of every part by its name, those for unchanged inputs last."""
        points: dict[str, int] = {}
        for call in self.calls:
            points.update(call.parts)
        if self.unchanged:
            points[UNCHANGED] = self.unchanged
        return points

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
        names = set()
        for function in functions_in(self.stub):
            if "NotImplementedError" not in ast.unparse(function):
                names.add(function.name)
        return names

    @contextmanager
    def closed_loops(self, names: Mapping[str, object]) -> Iterator[None]:
        """Make the slow loops among the given functions raise within this block.

        `names` are the global names of the student's file. A loop raises under every name, because
        its code is replaced.
        """
        codes: dict[types.FunctionType, types.CodeType] = {}
        for name in self.given_functions:
            loop = names.get(name)
            if not name.endswith("_slowly") or not isinstance(loop, types.FunctionType):
                continue
            if not loop.__closure__:  # the code that raises has none either
                codes[loop] = loop.__code__
        try:
            # the code and not the name, so that an alias raises too
            for loop in codes:
                loop.__code__ = _raise.__code__
            yield
        finally:
            for loop, code in codes.items():
                loop.__code__ = code

    def mistaken(self, mistake: Mistake) -> str:
        """Return the code with a mistake in it.

        Raises `InputError` with the names of both if the solution has changed since.
        """
        text = self.key
        for edit in mistake.edits:
            try:
                text = edit.apply(text)
            except InputError as error:
                raise InputError(f"exercise {self.id}, mistake {mistake.id}: {error}") from None
        return text

    def reached(self, call: Call, code: Code) -> set[str]:
        """Return the functions of an answer that a call runs, directly or through another.

        Empty if the call does not name exactly one of them.
        """
        bodies = {}
        for function in _functions_of(code):
            if function.name not in self.given_functions:
                bodies[function.name] = ast.unparse(function)

        # among the names that the code of `run` looks up are those of the student's functions
        called = bodies.keys() & set(call.run.__code__.co_names)
        if len(called) != 1:
            return set()
        # by text: a name with a bracket after it is a call
        reached = set(called)
        waiting = list(called)
        while waiting:
            body = bodies[waiting.pop()]
            for name in bodies:
                if name not in reached and f"{name}(" in body:
                    reached.add(name)
                    waiting.append(name)
        return reached

    def argument_names(self, call: Call) -> dict[str, str]:
        """Return the inputs of a call that the student's functions take, with their argument names.

        The input x_heads is the argument x.
        """
        arguments = set()
        for function in functions_in(self.key):
            if function.name not in self.given_functions:
                arguments |= {argument.arg for argument in function.args.args}

        names: dict[str, str] = {}
        for name in call.inputs:
            fitting = [a for a in arguments if _is_named_after(name, a)]
            # the longest, since an input x_mask is named after an argument x too
            own = max(fitting, key=len, default="")
            # x_heads is not x where x is an input too
            is_other_input = own != name and own in call.inputs
            if own and not is_other_input and own not in names.values():
                names[name] = own
        return names

    def call(self, name: str) -> Call:
        """Return the call of a name."""
        return next(call for call in self.calls if call.name == name)


def _functions_of(code: Code) -> list[ast.FunctionDef]:
    """Return the functions of an answer, without those of cells that are not Python."""
    if isinstance(code, str):
        return functions_in(code)
    functions = []
    for cell in code:
        # whatever Python cannot read may be in a cell, and the others still count
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            functions += functions_in(cell)
    return functions


def _is_named_after(name: str, argument: str) -> bool:
    return name == argument or name.startswith(f"{argument}_") or name.endswith(f"_{argument}")


def _raise(*positional, **by_name) -> None:
    raise RuntimeError(
        "a function in _slowly is not available while an answer is checked: it is the definition"
    )


def module_of(code: Code, name: str = "answer") -> types.ModuleType:
    """Run code and return it as a module.

    The cells of a notebook run one after the other, also after one that fails. What each of those
    raised is in `__failed__`, by its number.
    """
    module = types.ModuleType(name)
    sys.modules[name] = module  # where a dataclass looks up the annotations of its fields
    if isinstance(code, str):
        _run(code, f"{name}.py", module)
        return module

    files = []
    failed: dict[int, BaseException] = {}
    for number, cell in enumerate(code, 1):
        files.append(f"{name}, code cell {number}")
        try:
            _run(cell, files[-1], module)
        except BaseException as error:  # sys.exit among them: Jupyter runs the next cell too
            failed[number] = error
    # at the end, because a cell may use these names
    vars(module).update(__files__=files, __failed__=failed)
    return module


def _run(text: str, file: str, module: types.ModuleType) -> None:
    """Run the text of a file, or of a cell, in a module."""
    # tracebacks and inspect find the lines there, since there is no such file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(_compiled(text, file), vars(module))


# each answer to an exercise is compared with the same mistakes
@lru_cache(maxsize=500)
def _compiled(text: str, file: str) -> types.CodeType:
    try:
        return compile(text, file, "exec")
    except SyntaxError:
        if file.endswith(".py"):
            raise
    # a cell may have commands of Jupyter
    return compile(python_of(text), file, "exec")
