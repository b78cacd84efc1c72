"""The source of a function: what each line assigns, multiplies, remembers and returns."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from types import CodeType

from ...testing.planted_bugs import CHANGED

# calls and expressions that may be computed a second time
HARMLESS_CALLS = {"swapaxes", "reshape", "transpose", "flatten_positions"}
# calls that turn or fetch an array, and compute nothing
PLUMBING = HARMLESS_CALLS | {"to_device", "to_host", "asarray", "atleast_2d", "copy", "astype"}
COMPUTING = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.ListComp)
HARMLESS = (
    ast.Attribute,
    ast.Call,
    ast.Constant,
    ast.Load,
    ast.Name,
    ast.Slice,
    ast.Starred,
    ast.Subscript,
    ast.Tuple,
    ast.UnaryOp,
    ast.USub,
)
# statements without others inside them, which would be analyzed twice
STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Expr)
NO_SOURCE = "# the source of this function is not in a file"


class Function:
    """A function that runs. Everything by line is by the number of the line in its file.

    `read`, `assigned`, `products`, `returned` and `remembered` say what a line does; `computing`
    has the lines that compute something, and not only call, check or reshape; `axes` has what
    comments say of the axes of a name: ["B", "T", "D"] for `x = ...  # (B, T, D)`.
    """

    def __init__(self, code: CodeType):
        self.name = code.co_name
        # a planted bug has the file's name with a remark
        file = code.co_filename.partition(CHANGED)[0]
        self.file = "/".join(Path(file).parts[-3:])
        try:
            lines, self.first = inspect.getsourcelines(code)
        except (OSError, TypeError):
            lines = [NO_SOURCE]
            self.first = code.co_firstlineno
        self.lines = textwrap.dedent("".join(lines)).rstrip().split("\n")
        self.read: dict[int, set[str]] = {}
        self.assigned: dict[int, list[str]] = {}
        self.products: dict[int, list[tuple[str, str]]] = {}
        self.returned: dict[int, list[str]] = {}
        self.remembered: dict[int, list[str]] = {}
        self.computing = computing_lines(self.lines, self.first)
        self.axes: dict[str, list[str]] = {}
        self._analyze()

    def axes_in(self, line: int, name: str) -> list[str]:
        """Return what comments say of the axes of a value that a line assigns or returns."""
        names = self.returned.get(line, [])
        returned = dict(zip(names, self._axes_of_line(line), strict=False))
        return returned.get(name) or self.axes.get(name, [])

    def _analyze(self) -> None:
        """Note what all lines do."""
        try:
            [function] = ast.parse("\n".join(self.lines)).body
        except (SyntaxError, ValueError):  # the source is part of a line, such as a lambda
            return
        if not isinstance(function, ast.FunctionDef):
            return

        # all but self
        arguments = [*function.args.args[1:], *function.args.kwonlyargs]
        n_lines = function.body[0].lineno - 1  # of the signature
        signature = range(self.first, self.first + n_lines)
        self._note_axes(signature, [argument.arg for argument in arguments])
        for statement in ast.walk(function):
            if isinstance(statement, STATEMENTS):
                self._analyze_statement(self.first + statement.lineno - 1, statement)
                self._note_reads(statement)

    def _note_reads(self, statement: ast.stmt) -> None:
        """Note which names a statement reads, by each of its lines.

        A parameter such as `self.gain.data` is "gain", as in a recording, and its gradient
        "gain.grad".
        """
        names = set()
        for part in ast.walk(statement):
            if isinstance(part, ast.Name):
                names.add(part.id)
            elif isinstance(part, ast.Attribute):
                names.add(ast.unparse(part).removeprefix("self.").removesuffix(".data"))
        for line in range(statement.lineno, statement.end_lineno + 1):
            self.read.setdefault(self.first + line - 1, set()).update(names)

    def _analyze_statement(self, line: int, statement: ast.stmt) -> None:
        """Note what a statement does."""
        stored = []
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                stored.append(part.id)
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.MatMult):
                self._note_product(line, part.left, part.right)
        if stored:
            self.assigned[line] = stored
            self._note_axes([line], stored)
        if isinstance(statement, ast.Return) and statement.value:
            self._analyze_return(line, statement.value)

    def _note_product(self, line: int, left: ast.expr, right: ast.expr) -> None:
        """Note a matrix product whose factors can be computed a second time."""
        if _is_harmless(left) and _is_harmless(right):
            factors = (ast.unparse(left), ast.unparse(right))
            self.products.setdefault(line, []).append(factors)

    def _analyze_return(self, line: int, value: ast.expr) -> None:
        """Note what is returned, and what is remembered for backward.

        `self.remember(y, *values)` returns y.
        """
        if isinstance(value, ast.Call) and ast.unparse(value.func) == "self.remember":
            self.remembered[line] = [ast.unparse(argument) for argument in value.args[1:]]
            value = value.args[0]
        values = value.elts if isinstance(value, ast.Tuple) else [value]
        names = []
        for part in values:
            names.append(part.id if isinstance(part, ast.Name) else "returned")
        self.returned[line] = names

    def _note_axes(self, lines: Iterable[int], names: list[str]) -> None:
        """Note what the comments of lines say of the axes of names: one shape each, or for all."""
        found = []
        for line in lines:
            found += self._axes_of_line(line)
        if len(found) == 1:
            found = found * len(names)
        self.axes.update(zip(names, found, strict=False))

    def _axes_of_line(self, line: int) -> list[list[str]]:
        """Return the shapes in the comment of a line: `# (B, T, D), (B, S, D)`."""
        # two spaces are before a comment, and rarely before a # inside a string
        _, _, comment = self.lines[line - self.first].partition("  # ")
        shapes = []
        for shape in re.findall(r"\(([^()]+)\)", comment):
            axes = []
            for axis in shape.split(","):
                # of (D,) nothing is after the comma
                if axis.strip():
                    axes.append(axis.strip())
            shapes.append(axes)
        return shapes


def computing_lines(lines: list[str], first: int = 1) -> set[int]:
    """Return the numbers of the lines that compute something.

    Not among them are lines whose value another layer or function of the model makes, and lines
    that only reshape an array or fetch it.

    >>> sorted(computing_lines(["y = x @ w", "y = y.reshape(2, 3)", "y = self.norm.forward(y)"]))
    [1]
    """
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):  # the source is part of a line, such as a lambda
        return set()
    found: set[int] = set()
    for statement in ast.walk(tree):
        if not isinstance(statement, STATEMENTS) or statement.value is None:
            continue
        if isinstance(statement, ast.AugAssign) or _computes(statement.value):
            end = statement.end_lineno or statement.lineno
            found.update(range(first + statement.lineno - 1, first + end))
    return found


def _computes(node: ast.expr) -> bool:
    """Return whether an expression computes its value itself."""
    if isinstance(node, COMPUTING):
        return True
    if isinstance(node, ast.Tuple):
        return any(map(_computes, node.elts))
    if isinstance(node, ast.IfExp):
        return _computes(node.body) or _computes(node.orelse)
    if isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        return _computes(node.value)
    if isinstance(node, ast.Call):
        return _call_computes(node)
    return False


def _call_computes(node: ast.Call) -> bool:
    """Return whether a call computes its value: row_mean(x) does, self.norm.forward(x) does not."""
    text = ast.unparse(node.func)
    if text == "self.remember":
        return _computes(node.args[0])
    name = text.rpartition(".")[2]
    if name in PLUMBING:
        # x.reshape(2, 3) has what x has, and to_device(x) too
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args[:1]
        return any(map(_computes, inner))
    is_of_model = text.startswith(("self.", "super()")) or name in ("forward", "backward")
    return not is_of_model


def _is_harmless(node: ast.expr) -> bool:
    """Return whether an expression can be computed a second time.

    It must name, cut and turn arrays, and no more.
    """
    # anything else might draw random numbers, or change an array
    for part in ast.walk(node):
        if not isinstance(part, HARMLESS):
            return False
        if isinstance(part, ast.Call):
            name = getattr(part.func, "attr", getattr(part.func, "id", ""))
            if name not in HARMLESS_CALLS:
                return False
    return True
