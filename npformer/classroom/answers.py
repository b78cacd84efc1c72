"""What came back when a student's functions were called: values, or what happened instead."""

from __future__ import annotations

import traceback
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .exercise import Call

MOST = 1_000_000  # numbers in a result: no exercise wants so many


class Job(NamedTuple):
    """A call to be made: its name, and the drawn inputs by name."""

    call: str
    inputs: Mapping[str, object]


@dataclass(frozen=True)
class Answer:
    """What one call gave: `state` says whether there are `values`.

    `values` has an array for each result, or a description (a str) of what is no array; a single result that was
    not in a tuple comes alone. `changed` names the inputs that are no longer what they were, and `repeats` tells
    whether a second call on the same inputs gave the same.
    """

    state: str  # "done", "unattempted", "raised", "timeout" or "died"
    values: tuple[np.ndarray | str, ...] = ()
    alone: bool = True
    changed: tuple[str, ...] = ()
    repeats: bool = True
    error: str = ""  # the exception's kind and text, where one was raised
    line: int | None = None  # where in the student's file


class Ran(NamedTuple):
    """The answers to some jobs, and what the student's code printed."""

    answers: list[Answer]
    printed: str = ""


def make_call(student: types.ModuleType, call: Call, inputs: Mapping[str, object]) -> Answer:
    """Call the student's function twice with copies of the inputs, and tell what came of it. Raises nothing."""
    wanted = call.run.__code__.co_varnames[1 : call.run.__code__.co_argcount]
    files = getattr(student, "__files__", (f"{student.__name__}.py",))
    with np.errstate(all="ignore"):
        try:
            given = {name: copied(inputs[name]) for name in wanted}
            values, alone = results(call.run(student, **given))
            changed = tuple(name for name in wanted if not identical(given[name], inputs[name]))
            again, _ = results(call.run(student, **{name: copied(inputs[name]) for name in wanted}))
        except NotImplementedError:
            return Answer("unattempted")
        except BaseException as error:  # sys.exit and Ctrl-C among them: nothing of the student's ends the checker
            if isinstance(error, AttributeError) and getattr(error, "obj", None) is student:
                return Answer("raised", error=f"NameError: there is no {error.name}")
            return Answer("raised", error=named(error), line=line_of(error, files))
    repeats = len(again) == len(values) and all(map(identical, values, again))
    return Answer("done", values, alone, changed, repeats)


def copied(x):
    """Return a copy of an array, and anything else as it is."""
    return x.copy() if isinstance(x, np.ndarray) else x


def identical(a, b) -> bool:
    """Tell whether two inputs or results are the same to the last bit, NaN included."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return type(a) is type(b) and a == b


def results(returned) -> tuple[tuple[np.ndarray | str, ...], bool]:
    """Return what a call gave as a tuple of arrays, or of what they are instead, and whether it was no tuple.

    >>> results((np.ones(2), None, [1.0, 2.0]))
    ((array([1., 1.]), 'None', array([1., 2.])), False)
    """
    alone = not isinstance(returned, tuple)
    return tuple(map(as_array, (returned,) if alone else returned)), alone


def as_array(x) -> np.ndarray | str:
    """Return numbers as an array, and the description of anything else."""
    if x is None:
        return "None"
    if getattr(x, "size", 0) > MOST:
        return f"an array of {x.size} numbers"
    try:
        array = np.array(x)
    except Exception:
        array = np.array(None)
    if array.dtype.kind in "biufc":
        return array
    return f"an array of {array.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"


def named(error: BaseException) -> str:
    """Return an exception's kind and text, without the place that Python adds to an error of syntax."""
    return f"{type(error).__name__}: {error.msg if isinstance(error, SyntaxError) else error}"


def line_of(error: BaseException, files: Collection[str]) -> int | None:
    """Return the line of the student's file (or of a notebook's cell) at which an exception passed last."""
    if isinstance(error, SyntaxError):
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    return lines[-1] if lines else None
