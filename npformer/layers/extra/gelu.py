"""GELU: x times the share of a normal distribution that lies below x."""

import math

from ...backend import xp
from ...module import Module
from ...utils import InputError
from .erfc import FARTHEST, normal_tail
from .slopes import turn_with, with_slope

DENSITY_AT_ZERO = 1 / math.sqrt(2 * math.pi)


def exact(x, y, slope) -> None:
    """Fill y with x Phi(x), and slope with its derivative Phi(x) + x phi(x), of x (N,).

    Phi is the normal distribution, phi its density. With u = |x| and Q(u) = 1 - Phi(u) one line does for both signs:
        y = max(0, x) - u Q(u),   slope = 1 / 2 + sign(x) (1 / 2 + u phi(u) - Q(u))
    Beyond FARTHEST both u Q(u) and u phi(u) are below 1e-16: u stops there.
    """
    u = xp.abs(x, out=slope)  # until the slope is known
    xp.minimum(u, FARTHEST, out=u)
    bell = u * u
    bell *= -0.5
    xp.exp(bell, out=bell)
    tail = normal_tail(u, bell)  # Q(u)
    bell *= DENSITY_AT_ZERO
    bell *= u  # u phi(u)
    bell -= tail
    bell += 0.5
    tail *= u
    xp.maximum(x, 0, out=y)
    y -= tail
    turn_with(x, bell, out=slope)
    slope += 0.5


def with_tanh(x, y, slope) -> None:
    """Fill y with x (1 + t) / 2, and slope with its derivative, of x (N,); t = tanh(k (x + 0.044715 x^3)).

    k = sqrt(2 / pi), and slope = (1 + t) / 2 + x / 2 (1 - t^2) k (1 + 3 * 0.044715 x^2). Where |x| is FARTHEST or more
    t is -1 or 1: there x is cut off, so that no cube overflows.
    """
    k = math.sqrt(2 / math.pi)
    u = xp.clip(x, -FARTHEST, FARTHEST)
    square = u * u
    t = square * (0.044715 * k)
    t += k
    t *= u
    xp.tanh(t, out=t)
    xp.multiply(t, 0.5, out=slope)
    slope += 0.5
    xp.multiply(x, slope, out=y)
    t *= t
    xp.subtract(1, t, out=t)
    square *= 3 * 0.044715 * k / 2
    square += k / 2
    square *= u
    square *= t
    slope += square


FORMS = "none", "tanh"


class GELU(Module):
    """Let x through by the share of a normal distribution that lies below it: large x whole, very negative x not.

        GELU(x) = x Phi(x) = x (1 + erf(x / sqrt(2))) / 2

    Hendrycks and Gimpel 2016, section 2. `approximate="tanh"` is their second formula, which GPT-2 was trained with:
    x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). Both as in PyTorch, "none" is exact to rounding. Any shape.

    Raises `InputError` for another `approximate`, and for x that is no float32 or float64.

    >>> import numpy as np
    >>> gelu = GELU()
    >>> gelu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist(), gelu.backward(np.ones(3)).round(4).tolist()
    ([-0.1587, 0.0, 0.8413], [-0.0833, 0.5, 1.0833])
    """

    def __init__(self, *, approximate: str = "none"):
        if approximate not in FORMS:
            raise InputError(f"approximate = {approximate!r}: expected one of {', '.join(FORMS)}")
        self.approximate = approximate

    @property
    def label(self) -> str:
        return "GELU(tanh)" if self.approximate == "tanh" else "GELU()"

    def forward(self, x):
        return self.remember(*with_slope(self, with_tanh if self.approximate == "tanh" else exact, x))

    def backward(self, dy):
        (slope,) = self.recall(dy)
        return dy * slope
