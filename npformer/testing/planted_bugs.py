"""Planted bugs: wrong lines of npformer, one bug at a time, and the test that must notice each.

The table is planted_bugs.toml, which begins with a description of its entries.
"""

from __future__ import annotations

import difflib
import inspect
import linecache
import re
import textwrap
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..utils import InputError

TABLE = Path(__file__).with_name("planted_bugs.toml")
# after the name of a file that has a bug
CHANGED = " (changed in "


class BugEdit(NamedTuple):
    """A text that occurs once in the source of a function, and what a bug writes in its place.

    Arguments:
        place: The file below npformer/ and the function, such as
            "layers/layer_norm.py::LayerNorm.backward".
        right: The correct text. Its spaces and line breaks do not matter.
        wrong: The text in its place, indented as if the function began in the first column.
    """

    place: str
    right: str
    wrong: str


@dataclass(frozen=True)
class PlantedBug:
    """A bug.

    Arguments:
        name: What is wrong.
        edits: The edits that make the bug.
        caught_by: The id of the test that must fail, as pytest takes it in the repository.
        title: What is wrong, in the words of a student. Bugs of the gallery have a title.
        seen: Where the bug was seen, with the URL at the end.
        teaches: What it teaches: how it shows or hides in the loss and in a gradient check.
    """

    name: str
    edits: list[BugEdit]
    caught_by: str
    title: str = ""
    seen: str = ""
    teaches: str = ""


def read_planted_bugs() -> list[PlantedBug]:
    """Return all bugs of the table.

    >>> bug = read_planted_bugs()[0]
    >>> bug.name
    'LayerNorm.backward: gain outside the mean'
    >>> bug.edits[0].place
    'layers/layer_norm.py::LayerNorm.backward'
    """
    table = tomllib.loads(TABLE.read_text("utf-8"))
    bugs = []
    for name, entry in table.items():
        entry["edits"] = [BugEdit(*edit) for edit in entry["edits"]]
        bugs.append(PlantedBug(name, **entry))
    return bugs


def gallery() -> list[PlantedBug]:
    """Return the bugs of the gallery, which were seen in other programs.

    They are in the order of an update: from the first line of the forward to the last, then the
    backward, the loss and the step of Adam. A few change how a model is made, so plant a bug
    before you make the model.

    >>> gallery()[0].title
    'target not shifted right'
    """
    return [bug for bug in read_planted_bugs() if bug.title]


def find_bug(name: str) -> PlantedBug:
    """Return the bug of this name or title.

    Raises `InputError`, which lists the closest names and titles, when there is none.

    >>> find_bug("attention scores not divided by √d_k").name
    'attention: no 1 / sqrt(d_k) in either direction'
    """
    bugs = {}
    for bug in read_planted_bugs():
        bugs[bug.name] = bug
        if bug.title:
            bugs[bug.title] = bug
    if name not in bugs:
        closest = difflib.get_close_matches(name, bugs, cutoff=0)
        raise InputError(f"no planted bug is called {name!r}: the closest are {closest}")
    return bugs[name]


@contextmanager
def plant(bug: PlantedBug) -> Iterator[None]:
    """Run a with block while npformer has a bug.

    The code of the functions is exchanged, so the bug is in effect wherever they were imported.

    Arguments:
        bug: The bug.

    Raises `InputError` where a text of an edit does not occur once in its function.

    >>> import numpy as np
    >>> from npformer.layers import ReLU
    >>> from npformer.testing import PlantedBug, BugEdit, gradcheck
    >>> edit = BugEdit("layers/activations.py::ReLU.backward", "dy * (y > 0)", "dy")
    >>> with plant(PlantedBug("no slope", [edit], caught_by="")):
    ...     gradcheck(ReLU(), np.array([1.0, -2.0])).ok
    False
    """
    edits_of_place = defaultdict(list)
    for edit in bug.edits:
        edits_of_place[edit.place].append(edit)

    # of each function the right and the wrong code: nothing is changed before all edits fit
    changes = []
    for place, edits in edits_of_place.items():
        function = _find_function(place)
        changes.append((function, function.__code__, _compile_with(edits, function)))
    try:
        for function, _, wrong_code in changes:
            function.__code__ = wrong_code
        yield
    finally:
        for function, right_code, _ in changes:
            function.__code__ = right_code


def owner_of(place: str) -> type | None:
    """Return the class whose function a place names, None for a function of a module.

    >>> owner_of("layers/layer_norm.py::LayerNorm.backward")
    <class 'npformer.layers.layer_norm.LayerNorm'>
    """
    module, names = _module_and_names(place)
    owner = vars(module)[names[0]]
    return owner if isinstance(owner, type) else None


def _find_function(place: str) -> FunctionType:
    """Return the function of a place, without its decorators."""
    found: Any
    found, names = _module_and_names(place)
    for name in names:
        # getattr would bind a class method, whose code could not be exchanged
        found = vars(found)[name]

    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property):
        found = found.func
    return inspect.unwrap(found)  # also of a class method or a static one


def _module_and_names(place: str) -> tuple[ModuleType, list[str]]:
    """Return the module of a place, and the names of a class, if there is one, and a function."""
    file, _, qualified_name = place.partition("::")
    module_name = file.removesuffix(".py").replace("/", ".")
    return import_module(f"npformer.{module_name}"), qualified_name.split(".")


def _compile_with(edits: list[BugEdit], function: FunctionType) -> CodeType:
    """Return the code of a function with these edits.

    What shows source, such as a traceback or the step debugger, finds the changed text.
    """
    right_code = function.__code__
    lines, first = inspect.getsourcelines(right_code)
    source = textwrap.dedent("".join(lines))
    for edit in edits:
        source = replace_code(source, edit)
    file = f"{right_code.co_filename}{CHANGED}{function.__qualname__})"
    _register_source(file, right_code.co_filename, lines, first, source)

    # super() in a method needs the variable __class__ of a scope around it
    enclosed = f"def enclose(__class__):\n{textwrap.indent(source, '    ')}"
    # empty lines in front keep the numbers of lines
    module_code = compile("\n" * (first - 2) + enclosed, file, "exec")
    enclosing = _inner_code(module_code, "enclose")
    return _inner_code(enclosing, function.__name__)


def _register_source(name: str, file: str, lines: list[str], first: int, source: str) -> None:
    """Register the text of a file in which one function has another source.

    Arguments:
        name: The name under which Python finds the text.
        file: The file.
        lines: The lines of the function in the file.
        first: The number of the first of them.
        source: What stands in their place.
    """
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    changed = textwrap.indent(source, indent).splitlines(keepends=True)
    all_lines = linecache.getlines(file)
    before = all_lines[: first - 1]
    after = all_lines[first - 1 + len(lines) :]
    text = [*before, *changed, *after]
    # without a time, so that it is never read from a disk
    linecache.cache[name] = (len("".join(text)), None, text, name)


def _inner_code(code: CodeType, name: str) -> CodeType:
    """Return the code of the function `name` that is defined in this code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == name:
            return constant
    raise LookupError(f"{code.co_name} defines no function {name}")


def replace_code(source: str, edit: BugEdit) -> str:
    """Return a source with one edit, however its lines are wrapped.

    Raises `InputError` unless the correct text occurs once.
    """
    # between two words or signs of the text there may be any white space, or none
    tokens = re.findall(r"\w+|\S", edit.right)
    pattern = r"\s*".join(re.escape(token) for token in tokens)
    pattern = re.sub(r"(\\[)\]}])", r",?\\s*\1", pattern)  # a wrapped call ends in a comma
    # the spaces around the text are replaced too, so that the new line has no two in a row
    if edit.right.startswith(" "):
        pattern = rf"(?:(?<=\S) )?{pattern}"  # no indentation
    if edit.right.endswith(" "):
        pattern = f"{pattern} ?"
    found = re.findall(pattern, source)
    if len(found) != 1:
        raise InputError(
            f"{edit.place}: {edit.right!r} occurs {len(found)} times, expected once: "
            f"adapt {TABLE.name} to the present source"
        )
    return re.sub(pattern, lambda _: edit.wrong, source)
