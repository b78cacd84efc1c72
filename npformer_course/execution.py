"""Calls of a student's functions, and the answers: values, or what happened instead."""

from __future__ import annotations

import traceback
import types
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from .exercise import Call

MAX_SIZE = 1_000_000  # numbers in a result; no exercise needs as many
MAX_FRAMES = 20
MAX_CHARACTERS = 1000  # of an exception's text

Job = tuple[str, Mapping[str, object]]  # a call to be made: its name, and the drawn inputs by name


@dataclass(frozen=True)
class Answer:
    """What one call gave: `state` says whether there are `values`.

    `values` has an array for each result, or a description (a str) of what is not an array; `is_single` is True for
    a result that was not in a tuple. `changed` names the inputs that the call changed, and `repeats` says whether a
    second call on the same inputs gave the same.
    """

    state: str  # "done", "unattempted", "raised", "timeout" or "died"
    values: tuple[np.ndarray | str, ...] = ()
    is_single: bool = True
    changed: tuple[str, ...] = ()
    repeats: bool = True
    error: str = ""  # the exception's kind and text, where one was raised
    line: int | None = None  # where in the student's file
    frames: tuple[
        tuple[str, int], ...
    ] = ()  # the functions of the file that it passed, with lines, innermost last


def make_call(student: types.ModuleType, call: Call, inputs: Mapping[str, object]) -> Answer:
    """Call the student's function twice with copies of the inputs. Raises nothing."""
    names = call.inputs
    files = getattr(student, "__files__", (f"{student.__name__}.py",))
    with np.errstate(all="ignore"):
        try:
            arguments = {name: copied(inputs[name]) for name in names}
            values, is_single = results(call.run(student, **arguments), len(call.parts))
            changed = tuple(name for name in names if not _identical(arguments[name], inputs[name]))
            again, _ = results(
                call.run(student, **{name: copied(inputs[name]) for name in names}), len(call.parts)
            )
        except NotImplementedError as error:
            return replace(ended_by(error, files), state="unattempted")
        except (
            BaseException
        ) as error:  # sys.exit and Ctrl-C among them: nothing of the student's ends the checker
            if isinstance(error, AttributeError) and getattr(error, "obj", None) is student:
                return Answer("raised", error=f"NameError: there is no {error.name}")
            return ended_by(error, files)
    repeats = len(again) == len(values) and all(map(_identical, values, again))
    return Answer("done", values, is_single, changed, repeats)


def ended_by(error: BaseException, files: Collection[str]) -> Answer:
    """Return the answer of a call, or of loading a file, that an exception ended; `files` are the student's."""
    passed = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files
    ]
    frames = tuple((frame.name, frame.lineno or 0) for frame in passed[-MAX_FRAMES:])
    broken = isinstance(error, SyntaxError) and not frames
    line = error.lineno if broken else frames[-1][1] if frames else None
    text = str(error.msg if broken else error)
    text = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]} ..."
    return Answer("raised", error=f"{type(error).__name__}: {text}", line=line, frames=frames)


def copied(x):
    """Return a copy of an array, a deep copy of lists and dicts, and anything else as it is.

    >>> state = {"m": [np.ones(2)]}
    >>> copied(state)["m"][0] is state["m"][0]
    False
    """
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, dict):
        return {key: copied(value) for key, value in x.items()}
    return type(x)(map(copied, x)) if type(x) in (list, tuple) else x


def _identical(a, b) -> bool:
    """Tell whether two inputs or results are equal bit for bit, NaN included.

    >>> _identical({"m": [np.ones(2)]}, {"m": [np.ones(2)]}), _identical([np.ones(2)], [np.zeros(2)])
    (True, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.char in "gG":  # long doubles have bytes without a meaning
            return np.array_equal(a, b, equal_nan=True)
        return a.tobytes() == b.tobytes()
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_identical(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(_identical, a, b))
    return bool(a == b)


def results(returned, n_expected: int) -> tuple[tuple[np.ndarray | str, ...], bool]:
    """Return what a call gave as a tuple of arrays or descriptions, and whether it was a single result.

    Of several results a list is as good as a tuple.

    >>> results((np.ones(2), None, [1.0, 2.0]), 3)
    ((array([1., 1.]), 'None', array([1., 2.])), False)
    >>> results([1.0, 2.0], 2)[1], results([1.0, 2.0], 1)
    (False, ((array([1., 2.]),), True))
    """
    is_single = not isinstance(returned, tuple | list if n_expected > 1 else tuple)
    return tuple(map(as_array, (returned,) if is_single else returned)), is_single


def as_array(x) -> np.ndarray | str:
    """Return numbers as an array, and the description of anything else."""
    if x is None:
        return "None"
    if getattr(x, "size", 0) > MAX_SIZE:
        return f"an array of {x.size} numbers"
    try:
        if np.ma.is_masked(x):
            return "a masked array"
        array = np.array(x)
    except Exception:
        array = np.array(None)
    if array.dtype.kind in "biufc":
        return array
    return f"an array of {array.dtype}" if isinstance(x, np.ndarray) else f"a {type(x).__name__}"
