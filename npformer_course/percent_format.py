"""The cells of an exercise, in jupytext's percent format, with the solution between two marks."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from threading import Lock

from npformer.utils.errors import InputError

BEGIN = "# BEGIN SOLUTION"
END = "# END SOLUTION"
TODO = "raise NotImplementedError  # your lines go here"
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?$")
PARSE_LOCK = Lock()  # Python 3.11 counts the depth of a parse over all threads together


@dataclass(frozen=True)
class Cell:
    """A cell: its lines without the mark, and whether they are prose."""

    text: str
    markdown: bool = False


def read_cells(text: str) -> list[Cell]:
    r"""Return the cells of a text that begins with one.

    >>> read_cells("# %% [markdown]\n# Hello\n# %%\nx = 1\n")
    [Cell(text='# Hello', markdown=True), Cell(text='x = 1', markdown=False)]
    """
    marks = []
    bodies: list[list[str]] = []
    for line in text.split("\n"):
        mark = CELL.match(line)
        if mark:
            marks.append(mark)
            bodies.append([])
        elif bodies:
            bodies[-1].append(line)
        elif line.strip():
            raise InputError(f"{line!r} stands above the first cell: expected # %% before it")

    cells = []
    for mark, body in zip(marks, bodies, strict=True):
        cells.append(Cell("\n".join(body).strip("\n"), bool(mark["markdown"])))
    return cells


def as_text(cells: list[Cell]) -> str:
    """Return cells in the percent format."""
    pieces = []
    for cell in cells:
        mark = "# %% [markdown]" if cell.markdown else "# %%"
        pieces.append(f"{mark}\n{cell.text}")
    return "\n\n".join(pieces) + "\n"


def code(cells: list[Cell]) -> str:
    """Return the code cells alone, each line at its number in the text of all these cells."""
    # empty lines in place of prose: an error names the line that the student sees
    code_lines = []
    is_prose = False
    for line in as_text(cells).split("\n"):
        mark = CELL.match(line)
        if mark:
            is_prose = bool(mark["markdown"])
        if is_prose:
            line = ""
        code_lines.append(line)
    return "\n".join(code_lines)


def without_solution(text: str) -> str:
    r"""Return the text without the solutions, a `NotImplementedError` in the place of each.

    Raises `InputError` where a mark has no partner.

    >>> print(without_solution("def f():\n    # BEGIN SOLUTION\n    return 1\n    # END SOLUTION"))
    def f():
        raise NotImplementedError  # your lines go here
    """
    lines = []
    inside = False
    for line in text.split("\n"):
        mark = line.strip()
        if mark in (BEGIN, END):
            begins = mark == BEGIN
            if begins == inside:
                raise InputError(
                    f"{mark!r} has no partner: every solution needs one BEGIN and one END"
                )
            inside = begins
            if begins:
                # within its line, so that it keeps the indentation of the solution
                lines.append(line.replace(BEGIN, TODO))
        elif not inside:
            lines.append(line)
    if inside:
        raise InputError(f"{BEGIN!r} has no {END!r}")
    return "\n".join(lines)


def without_marks(text: str) -> str:
    """Return the text with the solution, but without the marks around it."""
    return "\n".join(line for line in text.split("\n") if line.strip() not in (BEGIN, END))


@cache
def functions_in(text: str) -> list[ast.FunctionDef]:
    """Return the functions of an exercise's code, as trees; they are not to be changed."""
    with PARSE_LOCK:
        tree = ast.parse(text)
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def definitions_in(text: str) -> list[ast.FunctionDef | ast.ClassDef]:
    """Return the functions and classes of a text that are not inside others, as trees."""
    with PARSE_LOCK:
        tree = ast.parse(text)
    return [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]


def lines_of(definition: ast.FunctionDef | ast.ClassDef) -> slice:
    """Return where the lines of a function or class are in a text, its decorators first."""
    # Python counts lines from 1, and begins a definition at its `def` or `class`
    first = definition.lineno
    if definition.decorator_list:
        first = definition.decorator_list[0].lineno
    return slice(first - 1, definition.end_lineno)
