"""From what a number can be worked out by hand: the loops of a student's text, its formula, its functions."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterator

from ..cells import functions_in
from ..exercise import Call, Exercise
from .exceptions import given_functions

LOOPS = (ast.For, ast.While, ast.comprehension)


def by_hand(exercise: Exercise, call: Call, number: str) -> str:
    """Return what to ask about a number ("one entry") of a call's result.

    Where the text has loops for other calls, nothing tells whether its formulas are about this one.
    """
    if has_loops(exercise, call):
        source = "loops of the "
    elif any(has_loops(exercise, other) for other in exercise.calls):
        source = ""
    elif has_formula(exercise):
        source = "formula of the "
    else:
        source = "functions of the " * bool(given_functions(exercise))
    return f"Can you work out this {number} by hand, from the {source}text?"


def has_formula(exercise: Exercise) -> bool:
    """Tell whether the text sets a formula."""
    return any(cell.markdown and "$$" in cell.text for cell in exercise.cells)


def has_loops(exercise: Exercise, call: Call) -> bool:
    """Tell whether the text gives a call's result by loops: those that its slow version runs, or a call like it.

    Where the call takes a gradient from above, the loops must take one too: those of forward do not tell it.
    """
    slow = exercise.slow.get(call.name)
    if slow is None:
        alike = [one for one in exercise.calls if one.name in exercise.slow and tried(exercise, one, call)]
        return any(has_loops(exercise, one) for one in alike)
    loops = {
        node.name: node for node in functions_in(exercise.stub) if any(isinstance(n, LOOPS) for n in ast.walk(node))
    }
    if slow.__name__ in loops:
        return True
    back = takes_gradient(arguments(call.run))
    return any(name in loops and takes_gradient(arguments_of(loops[name])) >= back for name in reached(slow))


def tried(exercise: Exercise, one: Call, other: Call) -> set[str]:
    """Return which functions of the student's own two calls both name."""
    own = {node.name for node in functions_in(exercise.stub)} - given_functions(exercise)
    return own & {*names_in(one.run.__code__)} & {*names_in(other.run.__code__)}


def takes_gradient(names: list[str]) -> bool:
    """Tell whether some of these arguments are gradients from above."""
    return any(name.startswith(("dy", "dlogits")) for name in names)


def arguments(function: Callable) -> list[str]:
    """Return the names of a function's arguments."""
    return list(function.__code__.co_varnames[: function.__code__.co_argcount])


def arguments_of(node: ast.FunctionDef) -> list[str]:
    """Return the names of the arguments of a function's tree."""
    return [argument.arg for argument in node.args.args]


def reached(function: types.FunctionType, known: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the names that a function uses, and those that the functions of its file that it calls use."""
    for name in names_in(function.__code__):
        yield name
        other = function.__globals__.get(name)
        if isinstance(other, types.FunctionType) and other.__globals__ is function.__globals__ and name not in known:
            yield from reached(other, known | {name})


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yield the global names in a function's code and in the functions that it makes."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from names_in(inner)
