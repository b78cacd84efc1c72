"""Named hypotheses about a wrong gradient: what else than J^T dy it is, where J is the Jacobian dy/dx."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .mismatch import agree

MIN_ROW = 4  # multiples of two directions fit shorter rows too easily


@dataclass(frozen=True)
class WrongGradient:
    """A wrong gradient of x, and the numbers of its layer; `jacobian` has the shape (*x.shape, *y.shape).

    `others` are right gradients of the layer with other settings, each by a text for the setting.
    """

    got: np.ndarray
    jacobian: np.ndarray
    x: np.ndarray
    y: np.ndarray
    dy: np.ndarray
    arrays: dict[str, np.ndarray]
    others: dict[str, np.ndarray]

    def pull(self, dy: np.ndarray) -> np.ndarray:
        """Return J^T dy."""
        return np.tensordot(self.jacobian, dy, dy.ndim)

    @property
    def right(self) -> np.ndarray:
        """The right gradient."""
        return self.pull(self.dy)

    def plus_multiples(self, *directions: np.ndarray) -> np.ndarray:
        """Return the right gradient plus those multiples of orthogonal rows that bring it closest to the wrong one."""
        off, rebuilt = self.got - self.right, self.right
        for v in directions if self.x.shape[-1] >= MIN_ROW else ():
            rebuilt = rebuilt + v * (off * v).sum(-1, keepdims=True) / np.maximum((v * v).sum(-1, keepdims=True), 1e-99)
        return rebuilt

    def reordered(self) -> np.ndarray:
        """Return the entries of the right gradient in the order of the wrong one."""
        rebuilt = np.empty(self.got.size)
        rebuilt[self.got.argsort(None)] = np.sort(self.right, None)
        return rebuilt.reshape(self.got.shape)


def _centered(x: np.ndarray) -> np.ndarray:
    return x - x.mean(-1, keepdims=True)


Hypotheses = dict[str, Callable[[WrongGradient], np.ndarray]]  # by a text to follow the name of the gradient
ALWAYS: Hypotheses = {"is right for a dy of ones: dy is not used": lambda w: w.pull(np.ones_like(w.dy))}
SAME_SHAPE: Hypotheses = {  # y has the shape of x
    "is dy, unchanged": lambda w: w.dy,
    "is the right one minus dy, as if a residual connection were left out": lambda w: w.right - w.dy,
    "is the right one plus dy": lambda w: w.right + w.dy,
    "is dy minus the right one, as if a condition were inverted": lambda w: w.dy - w.right,
    "is J dy, not J^T dy: a transpose is missing": lambda w: np.tensordot(w.dy, w.jacobian, w.dy.ndim),
    "is diag(J) dy: only the diagonal of the Jacobian J is used": lambda w: (
        w.jacobian.reshape(w.x.size, -1).diagonal().reshape(w.x.shape) * w.dy
    ),
    "is J^T J^T dy, as if backward were applied twice": lambda w: w.pull(w.right),
    "differs in each row by a multiple of 1, as if a mean were wrong": lambda w: w.plus_multiples(np.ones_like(w.x)),
    "differs in each row by a multiple of x - mean(x), as if the projection on it were wrong": lambda w: (
        w.plus_multiples(_centered(w.x))
    ),
    "differs in each row by a multiple of y, as if the sum of dy * y were wrong": lambda w: w.plus_multiples(w.y),
}
WEAKER: Hypotheses = {  # where none of the others fits
    "differs in each row by multiples of 1 and of x - mean(x), as if mean and projection were wrong": lambda w: (
        w.plus_multiples(np.ones_like(w.x), _centered(w.x))
    ),
    "is dy times one number": lambda w: w.dy * (w.got * w.dy).sum() / (w.dy * w.dy).sum(),
}
AROUND: Hypotheses = {"has the entries of the right one in another order": WrongGradient.reordered}


def fitting_hypotheses(draws: list[WrongGradient]) -> list[str]:
    """Return the texts of all hypotheses that fit to rounding on every draw; of weaker ones only if no other fits."""
    first = draws[0]
    if first.got.size < MIN_ROW or not any(w.got.any() for w in draws):
        return []
    strong = ALWAYS | {
        f"is that of the layer with {text}": lambda w, t=text: w.others.get(t, w.right) for text in first.others
    }
    for name, a in first.arrays.items():
        if a.size > 1 and a.shape == first.dy.shape[first.dy.ndim - a.ndim :]:
            strong[f"is right for dy / {name}: {name} is missing"] = lambda w, n=name: w.pull(w.dy / w.arrays[n])
            strong[f"is right for dy * {name}: {name} occurs twice"] = lambda w, n=name: w.pull(w.dy * w.arrays[n])
            if a.shape == first.x.shape[first.x.ndim - a.ndim :]:
                text = (
                    f"is right for dy / {name}, times {name}: {name} belongs at the start of backward, not at its end"
                )
                strong[text] = lambda w, n=name: w.pull(w.dy / w.arrays[n]) * w.arrays[n]
    same = first.x.shape == first.y.shape
    for hypotheses in (strong | SAME_SHAPE if same else strong, WEAKER if same else {}, AROUND):
        if texts := [text for text, rebuild in hypotheses.items() if all(agree(w.got, rebuild(w)) for w in draws)]:
            return texts
    return []
