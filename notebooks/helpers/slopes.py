"""Derivatives from forward only, in three ways, and how far two arrays are apart."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

WAYS = ("one-sided", "central", "fourth order")


def three_slopes(f: Callable, x: np.ndarray, eps: np.ndarray) -> dict[str, np.ndarray]:
    """Return the derivatives of f at x by differences, by WAYS; x and eps broadcast.

    >>> slopes = three_slopes(np.square, np.array([3.0]), 1e-3)
    >>> {way: round(float(slope[0]), 6) for way, slope in slopes.items()}
    {'one-sided': 6.001, 'central': 6.0, 'fourth order': 6.0}
    """
    near = f(x + eps) - f(x - eps)
    far = f(x + 2 * eps) - f(x - 2 * eps)
    one_sided = (f(x + eps) - f(x)) / eps
    central = near / (2 * eps)
    fourth = (8 * near - far) / (12 * eps)
    return dict(zip(WAYS, (one_sided, central, fourth), strict=True))


def mean_error(slopes: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the root mean square of the error of each step, for slopes (steps, points)."""
    return np.sqrt(np.mean((np.asarray(slopes, dtype=float) - right) ** 2, axis=-1))


def largest_difference(got: np.ndarray, right: np.ndarray) -> float:
    """Return the largest difference as a share of the largest magnitude of what is right."""
    return float(np.abs(got - right).max() / np.abs(right).max())


def cosine_between(a: np.ndarray, b: np.ndarray) -> float:
    """Return the cosine between two arrays, as vectors of all their numbers.

    >>> cosine_between(np.array([1.0, 0.0]), np.array([1.0, 1.0])).__round__(3)
    0.707
    """
    return float((a * b).sum() / np.linalg.norm(a) / np.linalg.norm(b))
