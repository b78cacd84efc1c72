"""Where the comparison of two updates places each planted bug of layers, models, loss and Adam.

Each bug is planted in the first of the cases of the gradient check in which an array differs: a
layer, or a model with its loss, whose parameters are moved by noise, and an Adam with moments. A
bug is placed when the first array that differs was made

    by the changed line, or handed on by it to the layer that it calls;
    by the first line that uses what the changed line makes: a name that it assigns, or what its
        function returns, where these are no arrays of a layer's own lines.

What raises an exception, and what changes no array of any case, is counted apart.
"""

from __future__ import annotations

import argparse
import ast
import copy
import re
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import npformer
from npformer.module import Module
from npformer.testing import BugEdit, PlantedBug, plant, read_planted_bugs
from npformer.testing.cases import CASES, GradientCase
from npformer.testing.planted_bugs import owner_of
from npformer.training import Adam
from npformer.visualization import Comparison, StepThrough, compare_steps, step_through
from npformer.visualization.comparison.differences import calling_step

FILES = ("layers/", "models/", "training/adam.py")
PACKAGE = Path(npformer.__file__).parent


class Update(Module):
    """A layer whose output times random numbers is the loss; a model with its loss as it is."""

    def __init__(self, layer: Module):
        self.layer = layer

    def forward(self, inputs: tuple) -> float:
        """Return the loss."""
        y = self.layer.forward(*inputs)
        if np.ndim(y) == 0:
            self.dy = None
            return float(y)
        self.dy = np.random.default_rng(1).normal(size=y.shape).astype(y.dtype)
        return float((self.dy * y).sum())

    def backward(self) -> None:
        """Run the backward of the layer."""
        if self.dy is None:
            self.layer.backward()
        else:
            self.layer.backward(self.dy)


def build(case: GradientCase) -> tuple[Module, tuple]:
    """Return the layer and the inputs of a case, whose parameters are moved by noise.

    A bug in how a layer is made changes how many numbers are drawn: inputs and noise do not
    depend on it.
    """
    # a bug may change them in place
    inputs = copy.deepcopy(inputs_of(case.name))
    layer, _ = case.make(np.random.default_rng(0), "float64")
    for name, parameter in layer.named_parameters():
        rng = np.random.default_rng(list(name.encode()))
        parameter.data += rng.normal(0, 0.5, parameter.data.shape)
    return layer, inputs


@cache
def inputs_of(name: str) -> tuple:
    """Return the inputs of the case of this name."""
    [case] = [case for case in CASES if case.name == name]
    return case.build(np.random.default_rng(0))[1]


def record(case: GradientCase) -> StepThrough:
    """Record an update of a case, with an Adam that has moments if there are parameters."""
    layer, inputs = build(case)
    for generator in layer.generators():
        generator.bit_generator.state = np.random.default_rng(2).bit_generator.state
    update = Update(layer)
    adam = None
    if layer.parameters():
        adam = Adam(layer.parameters(), learning_rate=0.01)
        # moments as after an update: in a first one a wrong beta would not show
        adam.m[...] = np.random.default_rng(3).normal(0, 0.1, adam.m.size)
        adam.v[...] = adam.m**2
        adam.steps = 1
    return step_through(update, inputs, adam)


@cache
def layer_of(name: str) -> Module:
    """Return the layer of the case of this name."""
    [case] = [case for case in CASES if case.name == name]
    return case.build(np.random.default_rng(0))[0]


def has_a(name: str, kind: type) -> bool:
    """Return whether the layer of a case is of a kind, or has one inside."""
    return any(isinstance(module, kind) for _, module in layer_of(name).named_modules())


@cache
def record_right(name: str) -> StepThrough:
    """Record an update of the case of this name without a bug."""
    [case] = [case for case in CASES if case.name == name]
    return record(case)


def first_that_differs(bug: PlantedBug) -> Comparison | str:
    """Return the comparison in the first case in which a bug shows.

    Returns what went wrong where the bug raises an exception, "" where no case shows it.
    """
    failure = ""
    owner = owner_of(bug.edits[0].place)
    for case in CASES:
        # a layer that the case does not have
        if owner and issubclass(owner, Module) and not has_a(case.name, owner):
            continue
        # without the bug, before it is planted
        inputs_of(case.name)
        right = record_right(case.name)
        try:
            with plant(bug), np.errstate(all="ignore"):
                wrong = record(case)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"
            continue
        comparison = compare_steps(right, wrong)
        if comparison.first:
            return comparison
    return failure


@dataclass
class Change:
    """What a bug changes.

    Arguments:
        file: The file, below the folder of the package.
        function: The name of the function.
        lines: The lines of the statements that are changed.
        assigned: The names that they assign, without `self.`.
    """

    file: str
    function: str
    lines: set[int]
    assigned: set[str]


def change_of(edit: BugEdit) -> Change:
    """Return what an edit changes."""
    file, _, qualified_name = edit.place.partition("::")
    text = (PACKAGE / file).read_text("utf-8")
    function = function_named(ast.parse(text), qualified_name)
    source = text.split("\n")[function.lineno - 1 : function.end_lineno]
    tokens = re.findall(r"\w+|\S", edit.right)
    pattern = r"\s*".join(re.escape(token) for token in tokens)
    pattern = re.sub(r"(\\[)\]}])", r",?\\s*\1", pattern)
    found = re.search(pattern, "\n".join(source))
    start = function.lineno + "\n".join(source)[: found.start()].count("\n")
    end = function.lineno + "\n".join(source)[: found.end()].count("\n")

    change = Change(file, qualified_name.rpartition(".")[2], set(range(start, end + 1)), set())
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or statement is function:
            continue
        # of a compound statement only its head
        last = statement.end_lineno
        if hasattr(statement, "body"):
            last = statement.body[0].lineno - 1
        lines = set(range(statement.lineno, max(last, statement.lineno) + 1))
        if lines & change.lines:
            change.lines |= lines
            change.assigned |= assigned_by(statement)

    # where a layer is made, what it makes of what is changed
    if change.function == "__init__":
        for statement in function.body:
            if words_of(statement) & change.assigned:
                change.assigned |= assigned_by(statement)
    # what keeps the result of the function, such as a table that a layer is made with
    for statement in ast.walk(ast.parse(text)):
        if isinstance(statement, ast.Assign) and f"{change.function}(" in ast.unparse(statement):
            change.assigned |= assigned_by(statement)
    return change


def function_named(tree: ast.Module, qualified_name: str) -> Any:
    """Return the function of a file, such as LayerNorm.backward."""
    body: Any = tree
    for name in qualified_name.split("."):
        [body] = [node for node in body.body if getattr(node, "name", "") == name]
    return body


def assigned_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement assigns, without `self.`."""
    names = set()
    for part in ast.walk(statement):
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Store):
            names.add(ast.unparse(part).removeprefix("self."))
    return names


def words_of(node: ast.AST) -> set[str]:
    """Return the names in a part of the source, without `self.`."""
    words = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name | ast.Attribute):
            words.add(ast.unparse(part).removeprefix("self."))
    return words


def place(bug: PlantedBug, comparison: Comparison) -> str:
    """Return how a bug is placed, "" if it is not."""
    changes = [change_of(edit) for edit in bug.edits]
    own, callers = places_of_first(comparison)
    for file, function, line, _ in own + callers:
        for change in changes:
            if change.file == file and change.function == function and line in change.lines:
                return "the changed line"
    for _, _, _, reads in own + callers:
        for change in changes:
            if reads & (change.assigned | {change.function}):
                return "the first line that uses it"
    # a parameter as it was made shows where its layer is called first
    runs = any(change.function in ("forward", "backward") for change in changes)
    if comparison.first.place.kind == "parameter" and not runs:
        return "the first line that uses it"
    return ""


def places_of_first(comparison: Comparison) -> tuple[list[tuple], list[tuple]]:
    """Return where the first difference was made, and where its function was called from.

    Both are given for each recording that has it.
    """
    own = []
    callers = []
    pair = comparison.first.pair
    for recording, found in ((comparison.a, pair.a), (comparison.b, pair.b)):
        recorder = recording.recorder
        if found is None:
            continue
        step = recorder.steps[found.step]
        own.append(place_of(recorder, step))
        number = calling_step(recorder, step.call)
        if number is not None:
            callers.append(place_of(recorder, recorder.steps[number]))
    return own, callers


def place_of(recorder: Any, step: Any) -> tuple[str, str, int, set[str]]:
    """Return file, function, line, and all words of the line."""
    function = recorder.calls[step.call].function
    file = function.file.removeprefix("npformer/")
    reads = set()
    for name in function.read.get(step.line, ()):
        reads |= {name, *name.split(".")}
    return file, function.name, step.line, reads


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="bugs whose names contain this")
    only = parser.parse_args().only
    counts: dict[str, int] = {}
    for bug in read_planted_bugs():
        if only not in bug.name or not bug.edits[0].place.startswith(FILES):
            continue
        found = first_that_differs(bug)
        if isinstance(found, Comparison):
            how = place(bug, found) or "MISSED"
            where = str(found.first)
        else:
            how = "raises an exception" if found else "changes no array"
            where = found
        counts[how] = counts.get(how, 0) + 1
        print(f"{how:28} {bug.name}\n{'':28}   {textwrap.shorten(where, 110)}", flush=True)

    print()
    for how, count in counts.items():
        print(f"{count:4} {how}")
    missed = counts.get("MISSED", 0)
    placed = counts.get("the changed line", 0) + counts.get("the first line that uses it", 0)
    print(f"placed: {placed} of {placed + missed}, {placed / (placed + missed):.1%}")


if __name__ == "__main__":
    main()
