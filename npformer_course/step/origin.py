"""Where a wrong result begins: the first array that no right solution makes. A trace, and no verdict."""

from __future__ import annotations

import ast
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import permutations
from typing import NamedTuple

import numpy as np

from ..execution import copied
from ..exercise import Call, Exercise, module_of
from ..inputs import Sample
from .recording import AnswerRecorder, Recording, RecordingFull

MOST_RIGHT_STEPS = 400  # of a right solution
TOLERANCE = 1e-7
UNCLEAR, SCALED = -1, -2  # in place of an array's number: too small to tell, equal up to a factor


class Origin(NamedTuple):
    """A line of a function, and the name of the array that it makes, empty for what it returns."""

    function: str
    line: int
    name: str

    def __str__(self) -> str:
        what = f"{self.name} in line {self.line}" if self.name else f"what line {self.line} returns"
        before = f"Up to line {self.line} every array of {self.function} is one that a right solution makes too"
        return f"{before}; {what} is the first that none of them makes. This is a trace, not a verdict."


class RightArrays:
    """The arrays of right solutions on a draw: the key, its alternatives, and slow loops. Equal ones are one.

    Equal are also arrays with other axes of length one, with their axes in another order, with their entries in rows
    of another length, and a mask and its opposite. `lines` has the arrays that a line uses, whether it returns, and
    what it makes.
    """

    def __init__(self, exercise: Exercise, call: Call, one: Sample, texts: Iterable[str] = ()):
        self.arrays: list[np.ndarray] = []
        self.places: dict = defaultdict(list)  # invariants and numbers, by size
        self.lines: set[tuple[frozenset[int], bool, int]] = set()
        for text in texts or solutions(exercise):
            module = module_of(text)  # one at a time: the recorder reads the lines of the last
            self._add(f"{module.__name__}.py", partial(call.run, module), one, call.inputs)
        if slow := exercise.slow.get(call.name):
            code = slow.__code__
            self._add(code.co_filename, slow, one, code.co_varnames[: code.co_argcount])

    def _add(self, file: str, run: Callable, one: Sample, names: Iterable[str]) -> None:
        recorder = AnswerRecorder({file}, MOST_RIGHT_STEPS)
        with np.errstate(all="ignore"), suppress(RecordingFull), recorder:
            run(**{name: copied(one.inputs[name]) for name in names})
        outputs = _arrays_with_sources(recorder, self._number)
        self.lines |= {
            (used - {UNCLEAR}, output.kind == "returned", number)
            for *_, output, number, used in outputs
        }

    def _number(self, array: np.ndarray) -> int:
        number = self.find(array)
        if number in (None, SCALED):
            number = len(self.arrays)
            self.arrays.append(_core(array))
            self.places[array.size].append((_invariant(self.arrays[-1]), number))
        return number

    def find(self, array: np.ndarray) -> int | None:
        """Return the number of an array, `UNCLEAR`, `SCALED`, or None for a new one."""
        if array.size < 2 or (array == array.flat[0]).all():
            return UNCLEAR
        array, result = _core(array), None
        invariant = _invariant(array)
        for other, number in self.places[array.size]:
            if math.isclose(other, invariant, rel_tol=TOLERANCE):
                factor = _factor(array, self.arrays[number])
                if math.isclose(factor, 1, rel_tol=TOLERANCE):
                    return number
                result = SCALED if factor else result
        return result


def solutions(exercise: Exercise) -> list[str]:
    """Return the key and the right answers in other styles."""
    return [exercise.key, *(f"{exercise.stub}\n{other}" for other in exercise.alternatives)]


def find_origin(recordings: list[Recording], rights: list[RightArrays]) -> Origin | None:
    """Return where results begin to be wrong, if it is the same place on every draw."""
    origins = {_first_new(*one) for one in zip(recordings, rights, strict=True)}
    return origins.pop() if len(origins) == 1 else None


def _first_new(recording: Recording, right: RightArrays) -> Origin | None:
    """Return the first array that is new, if right solutions agree on another of the same arrays, which is missing.

    They agree if they make only this one of them, and it is as large. Later calls of a function, whose objects may have
    changed, are too unclear.
    """
    have = {
        UNCLEAR,
        *(right.find(recording.arrays[number]) for number in range(len(recording.arrays.views))),
    }
    missing, first_calls = defaultdict(set), {}
    for used, is_returned, number in right.lines:
        missing[used, is_returned] |= {number} - have
    for place, line, output, number, used in _arrays_with_sources(recording, right.find):
        function = recording.calls[place].function
        if number is None and first_calls.setdefault(function.first, place) == place:
            others, name = (
                missing[used, output.kind == "returned"],
                "" if output.kind == "returned" else output.name,
            )
            agreed = used and [right.arrays[other].size for other in others] == [
                recording.arrays[output.number].size
            ]
            return Origin(function.name, line, name) if agreed else None
    return None


def _arrays_with_sources(recording, number_of: Callable) -> Iterator[tuple]:
    """Yield each array that is made: its call, line and number, and the numbers of the arrays that the line uses."""
    for place, call in enumerate(recording.calls):
        uses, known = defaultdict(set), {}
        with suppress(SyntaxError):  # of a part of a line, such as a lambda
            for node in ast.walk(ast.parse("\n".join(call.function.lines))):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                    uses[call.function.first + node.lineno - 1].add(node.id)
        for step in recording.steps[call.first : call.last + 1]:
            used = frozenset(known[name] for name in uses[step.line] if name in known)
            for output in step.made if step.call == place else ():
                number = number_of(recording.arrays[output.number])
                known[output.name] = UNCLEAR if number is None else number
                yield place, step.line, output, number, used


def _core(array: np.ndarray) -> np.ndarray:
    return np.squeeze(
        array ^ array.flat[0] if array.dtype == bool and array.size else array
    ).astype(np.float64)


def _invariant(array: np.ndarray) -> float:
    """Return a number that a factor and the order of the entries do not change; NaN if there is none."""
    sizes = np.abs(array[np.isfinite(array)])
    return float(sizes.sum() / sizes.max()) if sizes.any() else math.nan


@np.errstate(all="ignore")  # an array of np.empty holds anything
def _factor(array: np.ndarray, other: np.ndarray) -> float:
    """Return the factor between two arrays, up to the order of axes, or 0."""
    at = np.argmax(np.where(np.isfinite(array), np.abs(array), -1))
    usual = np.median(np.abs(array[np.isfinite(array) & (array != 0)]))
    views = [other.transpose(order) for order in permutations(range(other.ndim))]
    for one in (
        one.reshape(array.shape) for one in views if one.shape == array.shape or array.ndim < 3
    ):
        factor = array.flat[at] / (one.flat[at] or math.inf)
        if np.allclose(array, factor * one, rtol=TOLERANCE, atol=1e-9 * usual, equal_nan=True):
            return float(factor)
    return 0.0
