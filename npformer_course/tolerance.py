"""The one tolerance of the course: when two results are the same."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-6
NOISE = 1e-9  # nothing larger was expected: rounding of numbers of order 1


def error(got: np.ndarray | str, expected: np.ndarray) -> float:
    """Return the largest difference as a part of the largest expected magnitude.

    It is infinite for what cannot be compared. Where everything expected is 0, or as good as 0, the
    difference itself counts. NaN agrees with NaN alone.

    >>> error(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    0.5
    """
    if isinstance(got, str) or got.shape != expected.shape:
        return np.inf
    if got.size == 0:
        return 0.0
    return float(errors(got, expected).max())


def errors(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the difference of each entry, as `error` measures it, of arrays of one shape.

    >>> errors(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    array([0. , 0.5])
    """
    got = _widened(got)
    expected = _widened(expected)
    with np.errstate(all="ignore"):
        agrees = (got == expected) | (np.isnan(got) & np.isnan(expected))
        differences = np.where(agrees, 0, np.abs(got - expected))
        # NaN is left where one of the two is
        differences = np.where(np.isnan(differences), np.inf, differences)
        # of the whole array: an entry near 0 among large ones has their rounding errors
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    if scale <= NOISE:
        scale = 1.0
    return differences / scale


def _widened(x: np.ndarray) -> np.ndarray:
    # booleans cannot be subtracted, and differences of small integers overflow
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64)


def same(got: np.ndarray | str, expected: np.ndarray) -> bool:
    """Return whether a result agrees with the one expected, within the tolerance."""
    return error(got, expected) <= TOLERANCE


def right(got: np.ndarray | str, expected: np.ndarray) -> bool:
    """Return whether a result counts as the one expected: the same numbers, of the same kind."""
    return not isinstance(got, str) and same(got, expected) and same_kind(got, expected)


def same_kind(got: np.ndarray, expected: np.ndarray) -> bool:
    """Return whether booleans came where booleans are expected, and no complex numbers.

    >>> same_kind(np.ones(2) + 0j, np.ones(2)), same_kind(np.ones(2), np.ones(2) > 0)
    (False, False)
    """
    if got.dtype.kind == "c":
        return False
    return expected.dtype.kind != "b" or got.dtype.kind == "b"
