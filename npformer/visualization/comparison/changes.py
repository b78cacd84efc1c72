"""A changed line of npformer, as a planted bug."""

import ast
import textwrap
from collections.abc import Mapping
from pathlib import Path

from ...testing import BugEdit, PlantedBug, find_bug
from ...testing.planted_bugs import replace_code
from ...utils import InputError

PACKAGE = Path(__file__).parents[2]

# a file and what is replaced in it, or a file with the number of a line and the new line
Changes = Mapping[str, tuple[str, str] | str]


def bug_of(change: str | PlantedBug | Changes) -> PlantedBug:
    """Return a change as a planted bug.

    Arguments:
        change: A bug, its name in the table of planted bugs, or changes of files below npformer/:
            {"layers/layer_norm.py": ("old text", "new text")}, where the old text occurs in one
            function only, or {"layers/layer_norm.py:44": "new line"}.

    Raises `InputError` when there is no such bug, file, text or line, when an old text is in
    several functions, and when the changed function is not Python or as it was.

    >>> bug_of({"layers/softmax.py": ("y * (dy - row_sum(dy * y))", "dy * y")}).edits[0].place
    'layers/softmax.py::Softmax.backward'
    """
    if isinstance(change, PlantedBug):
        return change
    if isinstance(change, str):
        return find_bug(change)
    if not change:
        raise InputError('no change is given: expected {"FILE": ("old text", "new text")}')
    edits = []
    for file, new in change.items():
        name, _, line = file.partition(":")
        functions = functions_of(name)
        if isinstance(new, str):
            edit = _edit_of_line(functions, name, line, new)
        else:
            edit = _edit_of_text(functions, name, *new)
        _check_changed(functions[edit.place], edit)
        edits.append(edit)
    return PlantedBug("a changed line", edits, caught_by="")


class Source:
    """The source of a function: its lines without indentation, and the number of the first."""

    def __init__(self, lines: list[str], first: int):
        self.lines = textwrap.dedent("\n".join(lines)).split("\n")
        self.first = first
        self.text = "\n".join(self.lines)


def functions_of(file: str) -> dict[str, Source]:
    """Return the functions of a file below npformer/ by their place."""
    path = PACKAGE / file
    if path.suffix != ".py" or not path.is_file():
        raise InputError(
            f"{file!r} is no file of npformer: expected one below npformer/, such as "
            "layers/layer_norm.py"
        )
    text = path.read_text("utf-8")
    lines = text.split("\n")
    functions = {}
    for owner in ast.parse(text).body:
        prefix = ""
        nodes: list[ast.stmt] = [owner]
        if isinstance(owner, ast.ClassDef):
            prefix = f"{owner.name}."
            nodes = owner.body
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                place = f"{file}::{prefix}{node.name}"
                functions[place] = Source(lines[first - 1 : node.end_lineno], first)
    return functions


def _edit_of_text(functions: Mapping[str, Source], file: str, old: str, new: str) -> BugEdit:
    """Return the edit of the function that has a text once."""
    found = []
    for place, source in functions.items():
        edit = BugEdit(place, old, new)
        try:
            replace_code(source.text, edit)
        except InputError:
            continue
        found.append(edit)
    if len(found) != 1:
        raise InputError(
            f"{old!r} is in {len(found)} functions of {file} once: expected in one. Copy more of "
            "the line, or give the number of the line, such as "
            f'{{"{file}:44": "new line"}}'
        )
    return found[0]


def _edit_of_line(functions: Mapping[str, Source], file: str, line: str, new: str) -> BugEdit:
    """Return the edit that replaces a line by its number; the new line is indented as the old."""
    if not line.isdecimal():
        raise InputError(f"{file}:{line}: expected the number of a line, such as {file}:44")
    for place, source in functions.items():
        at = int(line) - source.first
        if not 0 <= at < len(source.lines) or not source.lines[at].strip():
            continue
        # lines above, until the text occurs once in the function
        for start in range(at, -1, -1):
            before = source.lines[start:at]
            old = "\n".join([*before, source.lines[at]])
            indent = source.lines[at][: -len(source.lines[at].lstrip())]
            edit = BugEdit(place, old, "\n".join([*before, indent + new.strip()]).lstrip())
            try:
                replace_code(source.text, edit)
            except InputError:
                continue
            return edit
    raise InputError(f"line {line} of {file} is in no function: choose a line of a function")


def _check_changed(source: Source, edit: BugEdit) -> None:
    """Raise `InputError` when a changed function is as it was, or is not Python."""
    changed = replace_code(source.text, edit)
    if changed == source.text:
        raise InputError(f"{edit.place} has this line already: give another one")
    try:
        ast.parse(changed)
    except SyntaxError as error:
        line = (error.text or "").strip()
        raise InputError(f"{edit.place}: {line!r} is not Python: {error.msg}") from error
