"""The Gaussian error linear unit."""

import math
from functools import cache

import numpy as np

from ...backend import xp
from ...module import Module
from ...utils import InputError
from ..validation import check_floats

FORMS = "none", "tanh"
TANH_K, TANH_C = math.sqrt(2 / math.pi), 0.044715
_END, _SHIFT, _DEGREE = (
    9.0,
    4.0,
    17,
)  # beyond _END the tail is 0 in float64; the degree makes the error that of rounding


class GELU(Module):
    """Multiply x by the probability that a standard normal number is below x.

        GELU(x) = x Phi(x) = x (1 + erf(x / sqrt(2))) / 2

    Hendrycks and Gimpel 2016, section 2; one number at a time it is `gelu` in tests/slow_formulas.py.
    `approximate="tanh"` is the form of GPT-2, x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). Any shape.

    Raises `InputError` for another `approximate`, and for x that is not an array of floats.

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
        check_floats(self, x)
        u = xp.clip(x, -_END, _END)  # no square or cube overflows; beyond _END Phi is 0 or 1
        if self.approximate == "tanh":
            phi = 0.5 + 0.5 * xp.tanh(TANH_K * (u + TANH_C * u * u * u))
        else:
            phi = normal_cdf(u)
        return self.remember(xp.maximum(x, -_END) * phi, u, phi)

    def backward(self, dy):
        u, phi = self.recall(dy)
        if self.approximate == "tanh":  # phi = (1 + tanh) / 2 and tanh' = 1 - tanh^2 = 4 phi (1 - phi)
            density = 2 * phi * (1 - phi) * TANH_K * (1 + 3 * TANH_C * u * u)
        else:
            density = xp.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
        return dy * (phi + u * density)  # d(x Phi) = (Phi + x Phi') dx


def normal_cdf(u):
    """Return Phi(u), the probability that a standard normal number is below u, for u from -9 to 9.

    NumPy has no erf. Phi(-|u|) is exp(-u^2 / 2) times a smooth function of s = a / (|u| + 4) - b, here a polynomial
    (Schonfelder 1978, "Chebyshev expansions for the error and related functions").

    >>> normal_cdf(np.array([-1.0, 0.0, 3.0])).round(6).tolist()
    [0.158655, 0.5, 0.99865]
    """
    coefficients, a, b = _tail_polynomial()
    s = a / (xp.abs(u) + _SHIFT) - b  # from 1 at u = 0 to -1 at the end
    tail = coefficients[-1] * s
    for coefficient in coefficients[-2:0:-1]:  # Horner's scheme
        tail = (tail + coefficient) * s
    tail = (tail + coefficients[0]) * xp.exp(-0.5 * u * u)
    return xp.where(u > 0, 1 - tail, tail)


@cache
def _tail_polynomial() -> tuple[list[float], float, float]:
    nearest = _SHIFT / (_END + _SHIFT)
    a, b = 2 * _SHIFT / (1 - nearest), (1 + nearest) / (1 - nearest)

    def smooth(s):
        return [math.exp(u * u / 2) * math.erfc(u / math.sqrt(2)) / 2 for u in a / (s + b) - _SHIFT]

    series = np.polynomial.chebyshev.chebinterpolate(smooth, _DEGREE)
    return np.polynomial.chebyshev.cheb2poly(series).tolist(), a, b
