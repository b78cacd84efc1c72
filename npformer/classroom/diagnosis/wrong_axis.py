"""When a sum, a mean or a maximum of the solution runs along another axis in the answer."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from ..cells import functions_in
from ..exercise import Exercise, module_of
from ..exercise_at_seed import Case
from ..report import Finding
from .mistakes import gives
from .part import N_MANY, View

NAMES = {"sum": "a sum", "mean": "a mean", "max": "a maximum", "var": "a variance", "std": "a standard deviation"}
PAIRS = {
    "sum": "two sums",
    "mean": "two means",
    "max": "two maxima",
    "var": "two variances",
    "std": "two standard deviations",
}
AXES = {
    -1: "the last axis",
    0: "the first axis",
    -2: "the last axis but one",
    -3: "the last axis but two",
    (0, 1): "the first two axes",
    None: "all axes",
}


class Reduction(NamedTuple):
    """A sum (or the like) in code: its name, the axis, and where the axis stands, as positions in the text."""

    name: str
    axis: object
    start: int
    end: int


class Other(NamedTuple):
    """Code in which one sum, or two, run along another axis: what kinds, in words what runs and where, the module."""

    kinds: tuple[str, ...]
    what: str
    where: str
    module: types.ModuleType


def other_axis(view: View) -> Finding | None:
    """Tell along which axis a sum of the solution must run to give the student's numbers, on every draw and others."""
    if not view.comparable or view.agrees:
        return None
    found = [other for other in others_of(view.case) if gives(view, other.module)]
    more = view.with_more(N_MANY) if len({other.kinds for other in found}) == 1 else None
    if more is None or not gives(more, found[0].module):
        return None
    words = f"{found[0].what} along {found[0].where}"
    text = f"{view.name} is what comes out when {words}"
    return Finding(
        "fact", f"other axis: {words}", text, "Which numbers belong together there, and along which axis do they lie?"
    )


def others_of(case: Case) -> list[Other]:
    """Return what other axes there are, worked out once."""
    if "other_axes" not in vars(case):
        vars(case)["other_axes"] = list(others(case.exercise))
    return vars(case)["other_axes"]


def others(exercise: Exercise) -> Iterator[Other]:
    """Make the variants: one sum at a time, and two of them that ran along the same axis."""
    text = exercise.key
    every = list(reductions(exercise))
    groups = [(one,) for one in every]
    groups += [pair for pair in combinations(every, 2) if pair[0].axis == pair[1].axis]
    for group in groups:
        for axis, words in AXES.items():
            if axis == group[0].axis:
                continue
            changed = text
            for one in sorted(group, key=lambda one: -one.start):
                changed = f"{changed[: one.start]}{axis}{changed[one.end :]}"
            names = list(dict.fromkeys(one.name for one in group))
            alike = PAIRS[names[0]] if len(names) < len(group) else NAMES[names[0]]
            what = alike if len(names) == 1 else " and ".join(NAMES[name] for name in names)
            yield Other(tuple(names), f"{what} {'runs' if len(group) == 1 else 'run'}", words, module_of(changed))


def reductions(exercise: Exercise) -> Iterator[Reduction]:
    """Yield the sums, means and maxima that the student has to write, whose axis stands there as a constant."""
    text, offsets = exercise.key, [0]
    for line in text.split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    given = {ast.unparse(node) for node in functions_in(exercise.stub)}
    for function in functions_in(text):
        if ast.unparse(function) in given:
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NAMES:
                for axis in axes_of(node):
                    start, end = (
                        offsets[axis.lineno - 1] + axis.col_offset,
                        offsets[axis.end_lineno - 1] + axis.end_col_offset,
                    )
                    yield Reduction(node.func.attr, ast.literal_eval(axis), start, end)


def axes_of(node: ast.Call) -> list[ast.expr]:
    """Return the axis of a reduction, where it is a constant."""
    module = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
    found = [word.value for word in node.keywords if word.arg == "axis"] or node.args[int(module) : int(module) + 1]
    try:
        return [one for one in found if isinstance(ast.literal_eval(one), int | tuple)]
    except ValueError:
        return []
