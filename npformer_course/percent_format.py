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
CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?(?P<rest>.*)$")
PARSE_LOCK = Lock()  # Python 3.11 counts the depth of a parse over all threads together
TAGS = re.compile(r"tags=\[(?P<tags>[^\]]*)\]")


@dataclass(frozen=True)
class Cell:
    """A cell: its lines without the mark, whether they are prose, and its tags."""

    text: str
    markdown: bool = False
    tags: tuple[str, ...] = ()


def read_cells(text: str) -> tuple[str, list[Cell]]:
    r"""Return the text above the first cell, and the cells.

    >>> text = '# id: a\n# %% [markdown]\n# Hello\n# %% tags=["teacher"]\nx = 1\n'
    >>> head, cells = read_cells(text)
    >>> head, cells[0].markdown, cells[1].tags, cells[1].text
    ('# id: a', True, ('teacher',), 'x = 1')
    """
    head: list[str] = []
    marks = []
    bodies: list[list[str]] = []
    for line in text.split("\n"):
        mark = CELL.match(line)
        if mark:
            marks.append(mark)
            bodies.append([])
        elif bodies:
            bodies[-1].append(line)
        else:
            head.append(line)

    cells = []
    for mark, body in zip(marks, bodies, strict=True):
        match = TAGS.search(mark["rest"])
        tags = tuple(re.findall(r"[\w-]+", match["tags"])) if match else ()
        cells.append(Cell("\n".join(body).strip("\n"), bool(mark["markdown"]), tags))
    return "\n".join(head).strip("\n"), cells


def as_text(cells: list[Cell], head: str = "") -> str:
    """Return cells in the percent format."""
    pieces = [head] if head else []
    for cell in cells:
        mark = "# %%"
        if cell.markdown:
            mark += " [markdown]"
        if cell.tags:
            tags = ", ".join(f'"{tag}"' for tag in cell.tags)
            mark += f" tags=[{tags}]"
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
