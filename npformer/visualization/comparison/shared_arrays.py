"""The first recording, with the arrays of the second that differ."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..stepper import StepThrough
from ..stepper.array_store import ArrayStore, content_of
from ..stepper.recorder import MadeArray, Recorder
from ..viewer.viewer import readable
from .alignment import Difference
from .changed_lines import ChangedLines

# entries of a parameter or gradient in the page, and of a parameter after the update: those of both
# recordings would make it too large
MOST_SHOWN = 4096
MOST_UPDATED = 2048
MOST_ROWS = 8  # of a larger array that differs
DIGITS = 6  # of a size


class SharedArrays:
    """The first recording as the page of a comparison has it.

    `recorder` has the steps of the first recording, in which the arrays that only the second has
    are at their place, and one store for the arrays of both. `rows` has for each difference what
    the page needs to know of it, None where there is no such thing: step, place in the step, the
    numbers of both arrays, size, causes, the number of the added line that makes it, how far the
    arrays are apart, whether that is rounding, whether both arrays are handed on, for a parameter
    after the update how far its entries were moved in A and in B, the weight, the step that passes
    an argument with which the difference begins, and some rows of a large array.

    Arguments:
        a: The first recording.
        differences: What differs.
        changed: The lines that differ.
    """

    def __init__(
        self,
        a: StepThrough,
        differences: Sequence[Difference],
        changed: ChangedLines,
    ):
        self.changed = changed
        self.recorder = copy.copy(a.recorder)
        self.recorder.steps = [replace(step, made=[*step.made]) for step in a.recorder.steps]
        self.recorder.arrays = a.recorder.arrays.copy()
        self.recorder.arrays.max_bytes *= 2
        self.large = _large_blocks(a.recorder)
        self.weights = _weights_of(a.recorder)
        self.vocabularies = {side: text["vocabulary"] for side, text in a.texts.items()}

        self.rows: list[list] = []
        step = 0
        for difference in differences:
            step = self._step_of(difference, step)
            self.rows.append(self._row(difference, step))
        for block in self.large:
            self._leave_out(block)

    def _row(self, difference: Difference, step: int) -> list:
        """Return what the page needs to know of a difference, which is shown in this step."""
        in_a = difference.pair.a
        in_b = difference.pair.b
        number_a = in_a.made.number if in_a else None
        number_b: Any = None
        added_line = None
        if in_b:
            number_b = self._add(difference)
            added_line = self.changed.added_line(in_b.step)

        made = self.recorder.steps[step].made
        if in_a:
            place = made.index(in_a.made)
        else:
            place = len(made)
            made.append(MadeArray(difference.place.name, difference.place.kind, number_b))
        return [
            step,
            place,
            number_a,
            number_b,
            _finite(difference.size),
            difference.causes,
            added_line,
            _finite(difference.apart),
            int(difference.is_rounding),
            int(difference.is_handed_on),
            self._moved(difference),
            _finite(difference.weight),
            difference.step if difference.is_passed and in_a else None,
            self._some_rows(difference),
        ]

    def _some_rows(self, difference: Difference) -> list | None:
        """Return the rows that differ most of an array that is too large for the page.

        Returns None where the page has the array, or where it has no rows; otherwise the numbers of
        the rows in A and in B, or None, their indices, and the token of each, where it is known.
        """
        arrays = [array for array in (difference.a, difference.b) if array is not None]
        first, last = arrays[0], arrays[-1]
        is_left_out = _is_left_out(difference.place.kind, difference.direction, first.size)
        if not is_left_out or first.ndim != 2 or first.shape != last.shape:
            return None
        distances = np.abs(last)
        if len(arrays) == 2:
            with np.errstate(all="ignore"):
                distances = np.abs(last - first)
        most = np.argsort(-distances.max(axis=1), kind="stable")[:MOST_ROWS]
        rows = np.sort(most)

        numbers = []
        for array in (difference.a, difference.b):
            number = None
            if array is not None:
                number = self.recorder.arrays.add(content_of(array[rows]))
            numbers.append(number)
        return [*numbers, rows.tolist(), self._tokens_of(difference, first.shape, rows)]

    def _tokens_of(
        self, difference: Difference, shape: tuple[int, ...], rows: np.ndarray
    ) -> list[str]:
        """Return the tokens of rows of an embedding matrix, none for another array."""
        place = difference.place
        name = place.name
        if difference.direction != "update":
            name = f"{place.module}.{name}"
        if "table" not in name or not self.vocabularies:
            return []
        is_source = name.startswith("encoder") or "t" not in self.vocabularies
        tokens = self.vocabularies.get("s" if is_source else "t")
        if tokens is None or len(tokens) < shape[0]:
            return []
        return [readable(tokens[row]) for row in rows]

    def _moved(self, difference: Difference) -> list[float | None] | None:
        """Return how far the update moved the entries of a parameter, in A and in B, or None."""
        before = self.weights.get(difference.place.name)
        if difference.direction != "update" or before is None:
            return None
        moved: list[float | None] = []
        for after in (difference.a, difference.b):
            if after is None:
                moved.append(0.0)  # an update that changes nothing makes no array
                continue
            if after.shape != before.shape:
                return None  # two models of different sizes
            with np.errstate(all="ignore"):
                moved.append(_finite(float(np.abs(after - before).max())))
        return moved

    def _add(self, difference: Difference) -> int:
        """Add an array of the second recording, and return its number."""
        arrays = self.recorder.arrays
        number = arrays.add(content_of(difference.b))
        block, _, _ = arrays.views[number]
        n_entries = len(arrays.blocks[block])
        if _is_left_out(difference.place.kind, difference.direction, n_entries):
            self.large.add(block)
        return number

    def _step_of(self, difference: Difference, before: int) -> int:
        """Return the step of the first recording where a difference is shown.

        Arguments:
            difference: An array that differs, or that one recording lacks.
            before: The step of the difference before, for a call that only the second has.
        """
        in_a = difference.pair.a
        in_b = difference.pair.b
        if in_a:
            return in_a.step
        assert in_b is not None
        step = self.changed.step_in_a(in_b.step, difference.place.kind)
        return before if step is None else step

    def _leave_out(self, block: int) -> None:
        """Remove the numbers of a block, whose views keep their shapes."""
        blocks = self.recorder.arrays.blocks
        blocks[block] = np.zeros(0, blocks[block].dtype)


def _finite(number: float) -> float | None:
    """Return a number with few digits, None if it is not finite: JSON has none."""
    return float(f"{number:.{DIGITS}g}") if np.isfinite(number) else None


def _weights_of(recorder: Recorder) -> dict[str, np.ndarray]:
    """Return the parameters before the update, by name."""
    weights = {}
    for step in recorder.steps:
        call = recorder.calls[step.call]
        for made in step.made:
            if made.kind == "parameter" and call.direction == "forward":
                weights[f"{call.module}.{made.name}"] = recorder.arrays[made.number]
    return weights


def _large_blocks(recorder: Recorder) -> set[int]:
    """Return the blocks of arrays that are left out of the page."""
    arrays: ArrayStore = recorder.arrays
    found = set()
    for step in recorder.steps:
        direction = recorder.calls[step.call].direction
        for made in step.made:
            block, _, _ = arrays.views[made.number]
            if _is_left_out(made.kind, direction, len(arrays.blocks[block])):
                found.add(block)
    return found


def _is_left_out(kind: str, direction: str, n_entries: int) -> bool:
    """Return whether an array is a large parameter, its gradient, or its update."""
    if direction == "update":
        return n_entries > MOST_UPDATED
    return n_entries > MOST_SHOWN and kind in ("parameter", "gradient")
