"""Calls of a student's functions, and the answers: values, or what happened instead."""

from __future__ import annotations

import re
import traceback
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .definition import Call

MAX_SIZE = 1_000_000  # numbers in a result; no exercise needs as many
MAX_FRAMES = 20  # the innermost of a traceback: endless recursion has a thousand
MAX_CHARACTERS = 1000  # of an exception's text
CELL = re.compile(r"code cell \d+$")  # ends the name that a traceback gives to a notebook's cell

Job = tuple[str, Mapping[str, object]]  # a call to be made: its name, and the drawn inputs by name
Results = tuple[np.ndarray | str, ...]


@dataclass(frozen=True)
class Answer:
    """What one call gave.

    Fields:
        state: "done", "unattempted", "raised", "timeout" or "died"
        values: an array for each result, or a description (a str) of what is not an array
        is_single: whether the result was not in a tuple
        changed: the inputs that the call changed, in words where they hold others
        repeats: whether a second call on the same inputs gave the same
        error: the exception's kind and text, where one was raised
        place: where it was raised in the student's file: line 3, or line 3 of code cell 5
        frames: the functions of the file that it passed, with places, innermost last
    """

    state: str
    values: Results = ()
    is_single: bool = True
    changed: tuple[str, ...] = ()
    repeats: bool = True
    error: str = ""
    place: str = ""
    frames: tuple[tuple[str, str], ...] = ()


def make_call(student: Any, call: Call, inputs: Mapping[str, object]) -> Answer:
    """Call the student's function twice with copies of the inputs. Raises nothing.

    Twice, because a function that keeps something between calls, or draws at random, may be right
    the first time only. `student` is the student's file as a module.
    """
    files = files_of(student)
    n_expected = len(call.parts)  # one result for each part
    with np.errstate(all="ignore"):
        try:
            # copies, because the next call needs the inputs as they were
            arguments = copies_for(call, inputs)
            held = {name: _same_things(arguments[name]) for name in call.inputs}
            values, is_single = results(call.run(student, **arguments), n_expected)
            changed: list[str] = []
            for name in call.inputs:
                changed += _changes(name, arguments[name], held[name], inputs[name])

            # what differs now was kept from the first call or drawn at random
            again, _ = results(call.run(student, **copies_for(call, inputs)), n_expected)
        except NotImplementedError as error:
            return replace(ended_by(error, files), state="unattempted")
        except BaseException as error:  # sys.exit and Ctrl-C too: none of them ends the checker
            return undefined(error, student) or ended_by(error, files)

    repeats = _identical(list(values), list(again))
    return Answer("done", values, is_single, tuple(dict.fromkeys(changed)), repeats)


def undefined(error: BaseException, student: Any) -> Answer | None:
    """Return the answer of a call of a function that the student has renamed or left out.

    Where a cell that failed was to define it, that is the cell's error. None for another call.
    """
    # `obj` is the object without the attribute, and an AttributeError in the student's own lines
    # has another one
    if not isinstance(error, AttributeError) or getattr(error, "obj", None) is not student:
        return None
    missing = Answer("raised", error=f"NameError: there is no {error.name}")
    return getattr(student, "__undefined__", {}).get(error.name, missing)


def files_of(student: types.ModuleType) -> Collection[str]:
    """Return the names that a traceback gives to a student's code."""
    return getattr(student, "__files__", (f"{student.__name__}.py",))


def copies_for(call: Call, inputs: Mapping[str, object]) -> dict[str, object]:
    """Return copies of the inputs that a call takes."""
    return {name: copied(inputs[name]) for name in call.inputs}


def ended_by(error: BaseException, files: Collection[str]) -> Answer:
    """Return the answer of a call, or of loading a file, that an exception ended.

    `files` are the student's.
    """
    # frames of the checker and of libraries would mean nothing to a student
    frames = []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in files:
            frames.append((frame.name, place_of(frame.filename, frame.lineno or 0)))
    frames = frames[-MAX_FRAMES:]

    place = frames[-1][1] if frames else ""
    try:
        kind = type(error).__name__[:MAX_CHARACTERS]
        text = str(error)
        if isinstance(error, SyntaxError) and not frames:  # the file itself is not Python
            text = str(error.msg)
            place = place_of(str(error.filename), error.lineno) if error.lineno else ""
    except BaseException:  # a student's own exception may raise another one here
        kind = "Exception"
        text = "its text cannot be read"
    if len(text) > MAX_CHARACTERS:
        text = f"{text[:MAX_CHARACTERS]} ..."
    text = without_surrogates(text)
    return Answer("raised", error=f"{kind}: {text}", place=place, frames=tuple(frames))


def place_of(file: str, line: int) -> str:
    """Return a line of a student's file in words.

    >>> place_of("answer.py", 3), place_of("answer, code cell 5", 3)
    ('line 3', 'line 3 of code cell 5')
    """
    cell = CELL.search(file)
    return f"line {line} of {cell[0]}" if cell else f"line {line}"


def without_surrogates(text: str) -> str:
    r"""Return a text with ? for each lone surrogate, which cannot be printed or written to a file.

    >>> without_surrogates("a\ud800")
    'a?'
    """
    return text.encode("utf-8", "replace").decode()


def copied(x: Any) -> Any:
    """Return a copy of an array, a deep copy of lists, tuples and dicts, and all else as it is.

    >>> state = {"m": [np.ones(2)]}
    >>> copied(state)["m"][0] is state["m"][0]
    False
    """
    if isinstance(x, np.ndarray):
        return x.copy()
    if isinstance(x, dict):
        return {key: copied(value) for key, value in x.items()}
    # not isinstance: a subclass, such as a named tuple, may not be made from one iterable
    if type(x) in (list, tuple):
        return type(x)(copied(value) for value in x)
    return x


def _same_things(x: Any) -> Any:
    """Return copies of lists, tuples and dicts that hold the same arrays."""
    if isinstance(x, dict):
        return {key: _same_things(value) for key, value in x.items()}
    if type(x) in (list, tuple):
        return type(x)(_same_things(value) for value in x)
    return x


def _changes(name: str, now: Any, held: Any, before: Any, in_list: bool = False) -> Iterator[str]:
    """Yield what a call has changed of an input, in words.

    Arguments:
        name: of the input or of what it holds; for all things in a list it is that of the list
        now: the input after the call
        held: lists and dicts as `now` was before the call, with the same arrays in them
        before: the input before the call

    >>> state = {"m": [np.ones(2)], "t": 1}
    >>> held = _same_things(state)
    >>> state["m"][0] = np.zeros(2)
    >>> list(_changes("state", state, held, {"m": [np.ones(2)], "t": 1}))
    ["state['m'] (it holds another array)"]
    """
    if _identical(now, before):
        return
    if isinstance(now, dict) and isinstance(before, dict) and now.keys() == before.keys():
        for key in now:
            yield from _changes(f"{name}[{key!r}]", now[key], held[key], before[key])
    elif type(now) is type(before) is list and len(now) == len(before):
        for one, held_one, one_before in zip(now, held, before, strict=True):
            yield from _changes(name, one, held_one, one_before, True)
    elif now is held:
        yield f"{name} (an array in it has changed)" if in_list else name
    elif in_list and isinstance(now, np.ndarray):
        yield f"{name} (it holds another array)"
    else:
        yield name


def _identical(a: Any, b: Any) -> bool:
    """Return whether two inputs or results are equal bit for bit, NaN included.

    >>> _identical({"m": [np.ones(2)]}, {"m": [np.ones(2)]}), _identical([1.0], [0.0])
    (True, False)
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.char in "gG":  # long doubles have bytes without a meaning
            return np.array_equal(a, b, equal_nan=True)
        # bytes, so that NaN equals NaN, and 0 and -0 differ
        return a.tobytes() == b.tobytes()
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_identical(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(_identical(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def results(returned: Any, n_expected: int) -> tuple[Results, bool]:
    """Return what a call gave as a tuple of arrays or descriptions, and whether it was single.

    Of several results a list is as good as a tuple.

    >>> results((np.ones(2), None, [1.0, 2.0]), 3)
    ((array([1., 1.]), 'None', array([1., 2.])), False)
    >>> results([1.0, 2.0], 2)[1], results([1.0, 2.0], 1)
    (False, ((array([1., 2.]),), True))
    """
    # where one result is expected a list is its rows, as in [[1, 2], [3, 4]]
    several = (tuple, list) if n_expected > 1 else (tuple,)
    if isinstance(returned, several):
        return tuple(as_array(x) for x in returned), False
    return (as_array(returned),), True


def as_array(x: Any) -> np.ndarray | str:
    """Return numbers as an array, and the description of anything else."""
    if x is None:
        return "None"
    # before the copy: an array made by np.broadcast_to takes no memory, its copy does
    if isinstance(x, np.ndarray) and x.size > MAX_SIZE:
        return f"an array of {x.size} numbers"

    try:
        if np.ma.is_masked(x):
            return "a masked array"
        # a copy, because the second call may write into the array that the first one returned
        array = np.array(x)
    except Exception:  # a student's object may raise anything when it is read
        return f"a {_type_name(x)}"

    if array.dtype.kind not in "biufc":
        if isinstance(x, np.ndarray):
            return f"an array of {array.dtype}"[:MAX_CHARACTERS]
        return f"a {_type_name(x)}"
    if array.size > MAX_SIZE:
        return f"a {_type_name(x)} of {array.size} numbers"
    return array


def _type_name(x: object) -> str:
    """Return the name of a type, with the package that it is from: torch.Tensor, but list."""
    kind = type(x)
    name = kind.__name__[:MAX_CHARACTERS]  # a class may have a name of a million letters
    package = str(kind.__module__).split(".")[0]
    if package in ("builtins", "answer", "__main__"):  # Python's own, and the student's
        return name
    return f"{package}.{name}"
