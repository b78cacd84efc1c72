"""Sums, means and maxima over features or over positions.

The sums are products with a vector, which is several times faster than `sum` of NumPy.
"""

import numpy as np

from ..backend import Array, xp

SHORT_ROW = 96  # features; below this width the maximum over a transpose takes less time


def flatten_positions(x: Array) -> Array:
    """View x (..., D) as (N, D): all positions in one matrix."""
    return x.reshape(-1, x.shape[-1])


def _row_dot(x, vector):  # (..., D), (D,)
    # OpenBLAS for AVX-512 raises this flag without a cause for narrow rows
    with np.errstate(invalid="ignore"):
        y = flatten_positions(x) @ vector  # (N,)
    return y.reshape(*x.shape[:-1], 1)  # (..., 1)


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
    """Take the largest feature of each position of x (..., D): (..., 1)."""
    rows = flatten_positions(x)  # (N, D)
    if rows.shape[1] < SHORT_ROW:
        columns = xp.ascontiguousarray(rows.T)  # (D, N), so that NumPy compares N numbers at once
        largest = columns.max(0)  # (N,)
    else:
        largest = rows.max(1)  # (N,)
    return largest.reshape(*x.shape[:-1], 1)
