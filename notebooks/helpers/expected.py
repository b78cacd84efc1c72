"""Lines that a learner writes, where no exercise has them."""

from __future__ import annotations

import numpy as np

from npformer_course.student.short_message import RIGHT, UNWRITTEN, WRONG, headline
from npformer_course.student.stand_ins import Verdict, earlier_verdict, stand_in_array

TOLERANCE = 1e-4  # times the largest entry, where that is below 1


class Expected:
    """The arrays that the learner's lines should give.

    Arguments:
        arrays: what they are, by the names that the cells use

    >>> expected = Expected(vectors=np.eye(2))
    >>> vectors = expected.check(vectors=...)
    vectors: not written yet; the notebook continues with npformer's vectors
    >>> vectors.shape
    (2, 2)
    """

    def __init__(self, **arrays):
        self.arrays = {name: np.asarray(array) for name, array in arrays.items()}
        self.mistakes: list[tuple[str, np.ndarray, str]] = []

    def say(self, reason: str, **arrays) -> None:
        """Give the reason to print where a line gives one of these arrays, which are wrong.

        >>> expected = Expected(vectors=np.eye(2))
        >>> expected.say("it has the rows in reverse", vectors=np.eye(2)[::-1])
        >>> vectors = expected.check(vectors=np.array([[0, 1], [1, 0]]))
        vectors: wrong; the notebook continues with npformer's vectors
          it has the rows in reverse
        """
        for name, array in arrays.items():
            self.mistakes.append((name, np.asarray(array), reason))

    def check(self, **lines):
        """Compare one array, print a short message, and return the one to continue with.

        That is the learner's where it is right. Where it is wrong, or still `...`, it is the
        expected one. If that is then passed again, the message is repeated.
        """
        [(name, got)] = lines.items()
        expected = self.arrays[name]
        # where the cell runs again, this is the array that it gave
        verdict = earlier_verdict(name, got) or self._verdict(name, got)
        print(headline({name: verdict.state}))
        for line in verdict.lines:
            print(f"  {line}")

        if verdict.state != RIGHT:
            return stand_in_array(name, expected, verdict)
        got = np.asarray(got)
        # 3.0 cannot be an index as 3 can, and ~1 is not False
        return got.astype(expected.dtype) if expected.dtype.kind in "biu" else got

    def _verdict(self, name: str, got) -> Verdict:
        """Return the verdict on what a line gives."""
        if got is None or got is ...:
            return Verdict(UNWRITTEN)
        reason = _difference(np.asarray(got), self.arrays[name])
        if not reason:
            return Verdict(RIGHT)
        for mistaken, array, what_it_is in self.mistakes:
            if mistaken == name and not _difference(np.asarray(got), array):
                reason = what_it_is
        return Verdict(WRONG, (reason,))


def _difference(got: np.ndarray, expected: np.ndarray) -> str:
    """Return in words how an array differs from the expected one, or nothing."""
    if got.dtype.kind not in "biuf":
        return "it is no array of numbers"
    if got.shape != expected.shape:
        return f"its shape is {got.shape}, and should be {expected.shape}"
    if _is_whole(expected) and (got != np.rint(got)).any():
        return "whole numbers are expected"

    n_wrong = _n_wrong(got, expected)
    if n_wrong and expected.size == 1:
        number = int(got.item()) if _is_whole(expected) else f"{got.item():.4g}"
        return f"it is {number}, and should be another number"
    if n_wrong:
        return f"its shape is right, and {n_wrong} of its {got.size} entries are not"
    return ""


def _n_wrong(got: np.ndarray, expected: np.ndarray) -> int:
    """Return how many entries are wrong. Whole numbers are compared exactly."""
    if _is_whole(expected):
        return int(np.sum(got != expected))

    # what is all zeros has no size to compare with
    largest = np.abs(expected).max(initial=0) or 1
    is_right = np.isclose(got, expected, atol=TOLERANCE * min(largest, 1))
    return int(np.sum(~is_right))


def _is_whole(array: np.ndarray) -> bool:
    return array.dtype.kind in "iu"
