"""The source of a function: what each line assigns, multiplies, remembers and returns, as its text says."""

import ast
import inspect
import re
import textwrap
from pathlib import Path
from types import CodeType
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
HARMLESS_CALLS = ("swapaxes", "reshape", "transpose", "flatten_positions")  # may be computed a second time
HARMLESS = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.UnaryOp, ast.USub, ast.Tuple)
HARMLESS += (ast.Starred, ast.Load, ast.Call)
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.Return, ast.Expr)


class Factor(NamedTuple):
    """One side of a matrix product."""

    text: str
    code: CodeType


class Function:
    """A function that runs. Everything by line is by the number of the line in its file."""

    def __init__(self, code: CodeType):
        self.name, self.file = code.co_name, _file_name(code.co_filename)
        try:
            lines, self.first = inspect.getsourcelines(code)
        except (OSError, TypeError):
            lines, self.first = ["# the source of this function is not in a file"], code.co_firstlineno
        self.lines = textwrap.dedent("".join(lines)).rstrip().split("\n")
        self.assigned: dict[int, list[str]] = {}
        self.products: dict[int, list[tuple[Factor, Factor]]] = {}
        self.returned: dict[int, list[str]] = {}
        self.remembered: dict[int, list[str]] = {}
        self.axes: dict[str, list[str]] = {}  # of a name, as the comments say: ["B", "T", "D"]
        if code.co_name != "<lambda>":
            self._parse()

    def axes_in(self, line: int, name: str) -> list[str]:
        """Return what the comments say of the axes of a value that is assigned or returned in a line."""
        if name in self.returned.get(line, []):
            return dict(zip(self.returned[line], self._axes_of_line(line), strict=False)).get(name, [])
        return self.axes.get(name, [])

    def _parse(self) -> None:
        try:
            [function] = ast.parse("\n".join(self.lines)).body
        except (SyntaxError, ValueError):
            return
        if not isinstance(function, ast.FunctionDef):
            return
        start = self.first + function.lineno - 1
        arguments = [argument.arg for argument in (*function.args.args[1:], *function.args.kwonlyargs)]
        self._note_axes(start, arguments, self.first + function.body[0].lineno - 2)
        for statement in ast.walk(function):
            if isinstance(statement, STATEMENTS):
                self._parse_statement(self.first + statement.lineno - 1, statement)

    def _parse_statement(self, line: int, statement: ast.stmt) -> None:
        parts = [statement.target] if isinstance(statement, ast.For) else list(ast.walk(statement))
        stored = [part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
        if isinstance(statement, ast.For):
            stored = [part.id for part in ast.walk(statement.target) if isinstance(part, ast.Name)]
        if stored:
            self.assigned[line] = stored
            self._note_axes(line, stored)
        for part in parts:
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult):
                if _is_harmless(part.left) and _is_harmless(part.right):
                    self.products.setdefault(line, []).append((_factor(part.left), _factor(part.right)))
            if isinstance(part, ast.Call) and ast.unparse(part.func) == "self.remember":
                self.remembered[line] = [ast.unparse(argument) for argument in part.args[1:]]
        if isinstance(statement, ast.Return) and statement.value:
            value = statement.value
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "self.remember":
                value = value.args[0]
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            self.returned[line] = [part.id if isinstance(part, ast.Name) else "returned" for part in parts]

    def _note_axes(self, line: int, names: list[str], last: int | None = None) -> None:
        found = [axes for number in range(line, (last or line) + 1) for axes in self._axes_of_line(number)]
        if len(found) == 1:
            found *= len(names)
        self.axes |= dict(zip(names, found, strict=False))

    def _axes_of_line(self, line: int) -> list[list[str]]:
        """Return the shapes in the comment of a line: `# (B, T, D), (B, S, D)`."""
        text = self.lines[line - self.first] if 0 <= line - self.first < len(self.lines) else ""
        shapes = re.findall(r"\(([^()]+)\)", text.partition("  # ")[2])
        return [[axis.strip() for axis in shape.split(",") if axis.strip()] for shape in shapes]


def _is_harmless(node: ast.expr) -> bool:
    """Return whether an expression can be computed a second time: it names, cuts and turns arrays, and no more."""
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    names = [call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls]
    return all(isinstance(part, HARMLESS) for part in ast.walk(node)) and all(name in HARMLESS_CALLS for name in names)


def _factor(node: ast.expr) -> Factor:
    return Factor(ast.unparse(node), compile(ast.Expression(node), "<factor>", "eval"))


def _file_name(path: str) -> str:
    """Return the name of a file without the folders above npformer."""
    if Path(path).is_relative_to(ROOT):
        return Path(path).relative_to(ROOT).as_posix()
    return Path(path).name
