"""Sums, means and maxima over features or over positions; as products with a vector they are several times faster."""

import numpy as np

from ..backend import Array, xp


def flatten_positions(x: Array) -> Array:
    """View x (..., D) as (N, D): all positions in one matrix."""
    return x.reshape(-1, x.shape[-1])


def _row_dot(x, vector):
    with np.errstate(
        invalid="ignore"
    ):  # OpenBLAS for AVX-512 raises this flag without a cause for narrow rows
        return (flatten_positions(x) @ vector).reshape(*x.shape[:-1], 1)


def row_sum(x: Array) -> Array:
    """Sum x (..., D) over its features: (..., 1)."""
    return _row_dot(x, xp.ones(x.shape[-1], x.dtype))


def row_mean(x: Array) -> Array:
    """Average x (..., D) over its features: (..., 1)."""
    return _row_dot(x, xp.full(x.shape[-1], 1 / x.shape[-1], x.dtype))


def column_sum(x: Array) -> Array:
    """Sum x (..., D) over all its positions: (D,)."""
    x = flatten_positions(x)
    return xp.ones(len(x), x.dtype) @ x


def row_max(x: Array) -> Array:
    """Take the largest feature of each position of x (..., D): (..., 1).

    NumPy takes the maximum of short rows one row at a time; in a transposed copy it compares whole rows at once.
    """
    rows = flatten_positions(x)
    largest = xp.ascontiguousarray(rows.T).max(0) if rows.shape[1] < 96 else rows.max(1)
    return largest.reshape(*x.shape[:-1], 1)
