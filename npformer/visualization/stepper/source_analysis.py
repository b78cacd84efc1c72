"""The source of a function: what each line assigns, multiplies, remembers and returns, as its text says."""

import ast
import inspect
import re
import textwrap
from pathlib import Path
from types import CodeType

HARMLESS_CALLS = (
    "swapaxes",
    "reshape",
    "transpose",
    "flatten_positions",
)  # may be computed a second time
HARMLESS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Constant,
    ast.UnaryOp,
    ast.USub,
    ast.Tuple,
)
HARMLESS += (ast.Starred, ast.Load, ast.Call)
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)


class Function:
    """A function that runs. Everything by line is by the number of the line in its file.

    `axes` has what comments say of the axes of a name: ["B", "T", "D"] for `x = ...  # (B, T, D)`.
    """

    def __init__(self, code: CodeType):
        self.name, self.file = code.co_name, "/".join(Path(code.co_filename).parts[-3:])
        try:
            lines, self.first = inspect.getsourcelines(code)
        except (OSError, TypeError):
            lines, self.first = (
                ["# the source of this function is not in a file"],
                code.co_firstlineno,
            )
        self.lines = textwrap.dedent("".join(lines)).rstrip().split("\n")
        self.assigned: dict[int, list[str]] = {}
        self.products: dict[int, list[tuple[str, str]]] = {}
        self.returned: dict[int, list[str]] = {}
        self.remembered: dict[int, list[str]] = {}
        self.axes: dict[str, list[str]] = {}
        try:
            [function] = ast.parse("\n".join(self.lines)).body
        except (SyntaxError, ValueError):  # of a part of a line, such as a lambda
            return
        if isinstance(function, ast.FunctionDef):
            arguments = [
                argument.arg for argument in (*function.args.args[1:], *function.args.kwonlyargs)
            ]
            self._note_axes(range(self.first, self.first + function.body[0].lineno - 1), arguments)
            for statement in ast.walk(function):
                if isinstance(statement, STATEMENTS):
                    self._parse(self.first + statement.lineno - 1, statement)

    def axes_in(self, line: int, name: str) -> list[str]:
        """Return what the comments say of the axes of a value that is assigned or returned in a line."""
        returned = dict(zip(self.returned.get(line, []), self._axes_of_line(line), strict=False))
        return returned.get(name) or self.axes.get(name, [])

    def _parse(self, line: int, statement: ast.stmt) -> None:
        parts = list(ast.walk(statement))
        if stored := [
            part.id
            for part in parts
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
        ]:
            self.assigned[line] = stored
            self._note_axes([line], stored)
        for part in parts:
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult):
                if _is_harmless(part.left) and _is_harmless(part.right):
                    self.products.setdefault(line, []).append(
                        (ast.unparse(part.left), ast.unparse(part.right))
                    )
        if isinstance(statement, ast.Return) and statement.value:
            value = statement.value
            if isinstance(value, ast.Call) and ast.unparse(value.func) == "self.remember":
                self.remembered[line] = [ast.unparse(argument) for argument in value.args[1:]]
                value = value.args[0]
            values = value.elts if isinstance(value, ast.Tuple) else [value]
            self.returned[line] = [
                part.id if isinstance(part, ast.Name) else "returned" for part in values
            ]

    def _note_axes(self, lines, names: list[str]) -> None:
        found = [axes for line in lines for axes in self._axes_of_line(line)]
        self.axes |= dict(
            zip(names, found * len(names) if len(found) == 1 else found, strict=False)
        )

    def _axes_of_line(self, line: int) -> list[list[str]]:
        """Return the shapes in the comment of a line: `# (B, T, D), (B, S, D)`."""
        shapes = re.findall(r"\(([^()]+)\)", self.lines[line - self.first].partition("  # ")[2])
        return [[axis.strip() for axis in shape.split(",") if axis.strip()] for shape in shapes]


def _is_harmless(node: ast.expr) -> bool:
    """Return whether an expression can be computed a second time: it names, cuts and turns arrays, and no more."""
    calls = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    names = [getattr(call, "attr", getattr(call, "id", "")) for call in calls]
    return all(isinstance(part, HARMLESS) for part in ast.walk(node)) and set(names) <= set(
        HARMLESS_CALLS
    )
