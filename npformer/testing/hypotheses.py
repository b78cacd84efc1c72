"""Hypotheses about a wrong gradient: what it is instead of J^T dy, with the Jacobian J = dy/dx."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .mismatch import agree

MIN_ROW = 4  # two multiples fit shorter rows by chance


class WrongGradient(NamedTuple):
    """A wrong gradient of x.

    Arguments:
        got: The wrong gradient.
        jacobian: dy/dx (*x.shape, *y.shape).
        x: The array that it is the gradient of.
        y: The output.
        dy: The upstream gradient.
        arrays: All inputs and parameters, by name.
    """

    got: np.ndarray
    jacobian: np.ndarray
    x: np.ndarray
    y: np.ndarray
    dy: np.ndarray
    arrays: dict[str, np.ndarray]

    def pull(self, dy: np.ndarray) -> np.ndarray:
        """Return J^T dy."""
        return np.tensordot(self.jacobian, dy, dy.ndim)

    @property
    def right(self) -> np.ndarray:
        """The right gradient."""
        return self.pull(self.dy)

    def plus_rows(self, *rows: np.ndarray) -> np.ndarray:
        """Return the right gradient plus multiples of orthogonal rows.

        They are the multiples that bring it closest to the wrong gradient.
        """
        right = self.right
        if self.x.shape[-1] < MIN_ROW:
            return right
        # the rows are orthogonal, so each coefficient is found by itself
        off = self.got - right
        added = 0
        for v in rows:
            along_v = (off * v).sum(-1, keepdims=True)
            added = added + v * along_v / (v * v).sum(-1, keepdims=True)
        return right + added


# a text to follow the name of the gradient, and what the gradient then is
Hypotheses = dict[str, Callable[[WrongGradient], np.ndarray]]


def _unchanged(w: WrongGradient) -> np.ndarray:
    return w.dy


def _without_residual(w: WrongGradient) -> np.ndarray:
    return w.right - w.dy


def _without_transpose(w: WrongGradient) -> np.ndarray:
    return np.tensordot(w.dy, w.jacobian, w.dy.ndim)


def _diagonal(w: WrongGradient) -> np.ndarray:
    # x and y have the same shape, so the matrix is square
    matrix = w.jacobian.reshape(w.x.size, -1)
    return matrix.diagonal().reshape(w.x.shape) * w.dy


def _wrong_mean(w: WrongGradient) -> np.ndarray:
    return w.plus_rows(np.ones_like(w.x))


def _wrong_projection(w: WrongGradient) -> np.ndarray:
    return w.plus_rows(w.x - w.x.mean(-1, keepdims=True))


def _wrong_sum(w: WrongGradient) -> np.ndarray:
    return w.plus_rows(w.y)


def _wrong_mean_and_projection(w: WrongGradient) -> np.ndarray:
    return w.plus_rows(np.ones_like(w.x), w.x - w.x.mean(-1, keepdims=True))


# where x and y have the same shape
SAME_SHAPE: Hypotheses = {
    "is dy, unchanged": _unchanged,
    "is the right one minus dy, as if a residual connection were left out": _without_residual,
    "is J dy, not J^T dy: a transpose is missing": _without_transpose,
    "is diag(J) dy: only the diagonal of the Jacobian J is used": _diagonal,
    "differs in each row by one and the same number, as if a mean were wrong": _wrong_mean,
    "differs in each row by a multiple of x - mean(x), "
    "as if the projection on it were wrong": _wrong_projection,
    "differs in each row by a multiple of y, as if the sum of dy * y were wrong": _wrong_sum,
}
# only where none of the others fits
WEAKER: Hypotheses = {
    "differs in each row by multiples of 1 and of x - mean(x), "
    "as if mean and projection were wrong": _wrong_mean_and_projection,
}


def fitting_hypotheses(draws: list[WrongGradient]) -> list[str]:
    """Return the texts of all hypotheses that fit to rounding on every draw.

    Of the weaker ones only if no other fits.
    """
    first = draws[0]
    if first.x.size < MIN_ROW or not any(w.got.any() for w in draws):
        return []

    # all that fit are reported: several are the same for some layers
    strong = _hypotheses_of_arrays(first)
    to_try = [strong]
    if first.x.shape == first.y.shape:
        to_try = [{**strong, **SAME_SHAPE}, WEAKER]
    for hypotheses in to_try:
        texts = []
        for text, rebuild in hypotheses.items():
            if all(agree(w.got, rebuild(w)) for w in draws):
                texts.append(text)
        if texts:
            return texts

    if all(_has_entries_of_right(w) for w in draws):
        return ["has the entries of the right one in another order"]
    return []


def _hypotheses_of_arrays(first: WrongGradient) -> Hypotheses:
    """Return the hypotheses about dy, and about each array that x and y can be multiplied by."""
    found: Hypotheses = {"is right for a dy of ones: dy is not used": _ones_for_dy}
    for name, array in first.arrays.items():
        # an array such as a gain has the last axes of both x and y
        end_of_x = first.x.shape[first.x.ndim - array.ndim :]
        end_of_dy = first.dy.shape[first.dy.ndim - array.ndim :]
        if array.size > 1 and array.shape == end_of_dy == end_of_x:
            missing = f"is right for dy / {name}: {name} is missing"
            found[missing] = partial(_divided_dy, name)
            late = f"is right for dy / {name}, times {name}: "
            late += f"{name} is used after the sums, not before"
            found[late] = partial(_multiplied_after, name)
    return found


def _has_entries_of_right(w: WrongGradient) -> bool:
    return agree(np.sort(w.got, axis=None), np.sort(w.right, axis=None))


def _ones_for_dy(w: WrongGradient) -> np.ndarray:
    return w.pull(np.ones_like(w.dy))


def _divided_dy(name: str, w: WrongGradient) -> np.ndarray:
    return w.pull(w.dy / w.arrays[name])


def _multiplied_after(name: str, w: WrongGradient) -> np.ndarray:
    return _divided_dy(name, w) * w.arrays[name]
