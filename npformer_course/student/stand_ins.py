"""npformer's functions and arrays, which stand in for a student's in a notebook."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np

from ..definition import Call, Exercise
from ..percent_format import definitions_in

# no file has this name, and `linecache` does not know it: inspect and ?? find no line of the key
SOURCE = "<npformer>"
MARK = "_stands_in_for"


def names_to_write(exercise: Exercise) -> list[str]:
    """Return the functions and classes that a student writes, in the order of the exercise."""
    names = []
    for node in definitions_in(exercise.stub):
        if "NotImplementedError" in ast.unparse(node):
            names.append(node.name)
    return names


def names_called(exercise: Exercise, call: Call) -> set[str]:
    """Return which of the names to write a call looks up."""
    return _names_in(call.run.__code__) & set(names_to_write(exercise))


def _names_in(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # of a loop within brackets, or of a lambda
            names |= _names_in(constant)
    return names


def run_hidden(text: str) -> dict[str, Any]:
    """Run code such that nothing shows its lines; return the names that it defines."""
    names: dict[str, Any] = {"__name__": SOURCE}
    exec(compile(text, SOURCE, "exec"), names)
    return names


def stand_in(exercise: Exercise, name: str, students: Any) -> Any:
    """Return npformer's function of a name.

    It remembers the student's, `students`, or None where there is none.
    """
    own = run_hidden(exercise.key)[name]
    # the notebook now knows the student's function under no other name: without this a cell that
    # runs again would check npformer's, and find it right
    setattr(own, MARK, students)
    return own


def students_own(value: Any) -> Any:
    """Return what npformer's function stands in for, and everything else as it is.

    None where nothing was written.
    """
    if value is ...:
        return None
    # other objects of a notebook may answer to any attribute
    if isinstance(value, FunctionType | type):
        return vars(value).get(MARK, value)
    return value


class Verdict(NamedTuple):
    """What a check says of an array.

    Arguments:
        state: RIGHT, WRONG or UNWRITTEN.
        lines: What is printed of a wrong one.
    """

    state: str
    lines: tuple[str, ...] = ()


# by the id and the name of an array: itself (kept, so that no other gets its id), a copy of its
# values, and the verdict
_stand_in_arrays: dict[tuple[int, str], tuple[np.ndarray, np.ndarray, Verdict]] = {}


def stand_in_array(name: str, array: np.ndarray, verdict: Verdict) -> np.ndarray:
    """Return a copy of npformer's array, which goes with the verdict on the student's."""
    own = array.copy()
    _stand_in_arrays[id(own), name] = own, own.copy(), verdict
    return own


def earlier_verdict(name: str, array: Any) -> Verdict | None:
    """Return the verdict on the student's array, if this one stands in for it, unchanged.

    Without this a cell that runs again would check npformer's, and find it right.
    """
    if (id(array), name) not in _stand_in_arrays:
        return None
    own, before, verdict = _stand_in_arrays[id(array), name]
    return verdict if np.array_equal(own, before) else None
