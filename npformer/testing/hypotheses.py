"""Named hypotheses about a wrong gradient: what else than J^T dy it is, where J is the Jacobian dy/dx."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .mismatch import agree

MIN_ROW = 4  # two multiples fit shorter rows by chance


class WrongGradient(NamedTuple):
    """A wrong gradient of x; `jacobian` is (*x.shape, *y.shape). `arrays` are all inputs and parameters by name."""

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
        """Return the right gradient plus those multiples of orthogonal rows that bring it closest to the wrong one."""
        off, used = self.got - self.right, rows if self.x.shape[-1] >= MIN_ROW else ()
        return self.right + sum(
            v * (off * v).sum(-1, keepdims=True) / (v * v).sum(-1, keepdims=True) for v in used
        )


Hypotheses = dict[
    str, Callable[[WrongGradient], np.ndarray]
]  # by a text to follow the name of the gradient
SAME_SHAPE: Hypotheses = {  # of x and y
    "is dy, unchanged": lambda w: w.dy,
    "is the right one minus dy, as if a residual connection were left out": lambda w: (
        w.right - w.dy
    ),
    "is J dy, not J^T dy: a transpose is missing": lambda w: np.tensordot(
        w.dy, w.jacobian, w.dy.ndim
    ),
    "is diag(J) dy: only the diagonal of the Jacobian J is used": lambda w: (
        w.jacobian.reshape(w.x.size, -1).diagonal().reshape(w.x.shape) * w.dy
    ),
    "differs in each row by a multiple of 1, as if a mean were wrong": lambda w: w.plus_rows(
        w.x**0
    ),
    "differs in each row by a multiple of x - mean(x), as if the projection on it were wrong": lambda w: (
        w.plus_rows(w.x - w.x.mean(-1, keepdims=True))
    ),
    "differs in each row by a multiple of y, as if the sum of dy * y were wrong": lambda w: (
        w.plus_rows(w.y)
    ),
}
WEAKER: Hypotheses = {  # only where none of the others fits
    "differs in each row by multiples of 1 and of x - mean(x), as if mean and projection were wrong": lambda w: (
        w.plus_rows(w.x**0, w.x - w.x.mean(-1, keepdims=True))
    ),
}


def fitting_hypotheses(draws: list[WrongGradient]) -> list[str]:
    """Return the texts of all hypotheses that fit to rounding on every draw; of a weaker one only if no other fits."""
    x, dy, same = draws[0].x, draws[0].dy, draws[0].x.shape == draws[0].y.shape
    if x.size < MIN_ROW or not any(w.got.any() for w in draws):
        return []
    strong: Hypotheses = {
        "is right for a dy of ones: dy is not used": lambda w: w.pull(np.ones_like(w.dy))
    }
    for name, a in draws[0].arrays.items():
        if a.size > 1 and a.shape == dy.shape[dy.ndim - a.ndim :] == x.shape[x.ndim - a.ndim :]:
            strong[f"is right for dy / {name}: {name} is missing"] = lambda w, a=name: w.pull(
                w.dy / w.arrays[a]
            )
            text = (
                f"is right for dy / {name}, times {name}: {name} is used after the sums, not before"
            )
            strong[text] = lambda w, a=name: w.pull(w.dy / w.arrays[a]) * w.arrays[a]
    for hypotheses in (strong | SAME_SHAPE, WEAKER) if same else (strong,):
        if texts := [
            text
            for text, rebuild in hypotheses.items()
            if all(agree(w.got, rebuild(w)) for w in draws)
        ]:
            return texts
    reordered = all(agree(np.sort(w.got, None), np.sort(w.right, None)) for w in draws)
    return ["has the entries of the right one in another order"] if reordered else []
