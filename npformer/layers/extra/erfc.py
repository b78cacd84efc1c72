"""How much of a normal distribution lies above u: what the error function would say, if NumPy had one."""

import math
from functools import cache

import numpy as np

from ...backend import xp

FARTHEST, SHIFT = 9.0, 4.0
DEGREES = {"float32": 7, "float64": 17}  # so high that rounding leaves a larger error than the polynomial


def normal_tail(u, bell):
    """Return Q(u) = erfc(u / sqrt(2)) / 2 for u from 0 to FARTHEST, where bell = exp(-u^2 / 2).

    Schonfelder 1978, "Chebyshev expansions for the error and related functions": Q(u) is bell times a function so
    smooth in s = a / (u + SHIFT) - b that a polynomial of low degree will do. a and b map the range of u onto 1 .. -1.

    >>> u = np.array([0.0, 1.0, 3.0])
    >>> normal_tail(u, np.exp(-u * u / 2)).round(6).tolist()
    [0.5, 0.158655, 0.00135]
    """
    coefficients, a, b = tail_polynomial(u.dtype.name)
    s = u + SHIFT
    xp.divide(a, s, out=s)
    s -= b
    tail = s * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:  # Horner's scheme
        tail += coefficient
        tail *= s
    tail += coefficients[0]
    tail *= bell
    return tail


@cache
def tail_polynomial(dtype: str) -> tuple[list[float], float, float]:
    """Return the polynomial in s, lowest power first, interpolated at Chebyshev's points, and a and b."""
    nearest = SHIFT / (FARTHEST + SHIFT)
    a, b = 2 * SHIFT / (1 - nearest), (1 + nearest) / (1 - nearest)

    def smooth(s):
        return [math.exp(u * u / 2) * math.erfc(u / math.sqrt(2)) / 2 for u in a / (s + b) - SHIFT]

    series = np.polynomial.chebyshev.chebinterpolate(smooth, DEGREES[dtype])
    return np.polynomial.chebyshev.cheb2poly(series).tolist(), a, b
