"""Activations: the ReLU of the paper, and SiLU and GELU, which later models use.

Next: feed_forward.py
"""

import math

import numpy as np

from ..backend import xp
from ..module import Module
from .validation import check_floats


class ReLU(Module):
    """Set negative values to zero.

        ReLU(x) = max(0, x)

    Part of paper equation 2. See `feed_forward` in npformer/slow_formulas.py for the same formula
    with scalar loops. Any shape. Raises `InputError` for x that is not an array of floats.

    >>> relu = ReLU()
    >>> relu.forward(np.array([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    >>> relu.backward(np.array([5.0, 5.0])).tolist()
    [0.0, 5.0]
    """

    def forward(self, x):
        check_floats(self, x)
        y = xp.maximum(x, 0)
        return self.remember(y, y)

    def backward(self, dy):
        (y,) = self.recall(dy)
        return dy * (y > 0)


class SiLU(Module):
    """Multiply x by its own sigmoid.

        SiLU(x) = x s(x),   s(x) = 1 / (1 + exp(-x)) = (1 + tanh(x / 2)) / 2

    Hendrycks and Gimpel 2016, section 2; Ramachandran et al. 2017, who call it Swish. See `silu` in
    npformer/slow_formulas.py for the same formula with scalar loops. Any shape. Raises `InputError`
    for x that is not an array of floats.

    >>> silu = SiLU()
    >>> silu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.2689, 0.0, 0.7311]
    >>> silu.backward(np.ones(3)).round(4).tolist()
    [0.0723, 0.5, 0.9277]
    """

    def forward(self, x):
        check_floats(self, x)
        sigmoid = 0.5 + 0.5 * xp.tanh(0.5 * x)  # overflows for no x, unlike exp(-x)
        return self.remember(x * sigmoid, x, sigmoid)

    def backward(self, dy):
        x, sigmoid = self.recall(dy)
        return dy * sigmoid * (1 + x * (1 - sigmoid))  # s' = s (1 - s)


class GELU(Module):
    """Multiply x by the probability that a standard normal number is below x.

        GELU(x) = x Phi(x) = x (1 + erf(x / sqrt(2))) / 2

    Hendrycks and Gimpel 2016, section 2. See `gelu` in npformer/slow_formulas.py for the same
    formula with scalar loops. Any shape. Raises `InputError` for x that is not an array of floats.

    >>> gelu = GELU()
    >>> gelu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.1587, 0.0, 0.8413]
    >>> gelu.backward(np.ones(3)).round(4).tolist()
    [-0.0833, 0.5, 1.0833]
    """

    def forward(self, x):
        check_floats(self, x)
        phi = normal_cdf(x)
        return self.remember(x * phi, x, phi)

    def backward(self, dy):
        x, phi = self.recall(dy)
        density = xp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return dy * (phi + x * density)  # d(x Phi) = (Phi + x Phi') dx


class GELUTanh(Module):
    """Approximate GELU by a tanh, as GPT-2 does.

        GELU(x) = x (1 + tanh(u)) / 2 to about 0.0005,   u = sqrt(2 / pi) (x + 0.044715 x^3)

    Hendrycks and Gimpel 2016, section 2. See `gelu_tanh` in npformer/slow_formulas.py for the same
    formula with scalar loops. Any shape. Raises `InputError` for x that is not an array of floats.

    >>> gelu = GELUTanh()
    >>> gelu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist()
    [-0.1588, 0.0, 0.8412]
    >>> gelu.backward(np.ones(3)).round(4).tolist()
    [-0.083, 0.5, 1.083]
    """

    def forward(self, x):
        check_floats(self, x)
        u = _TANH_SCALE * x * (1 + _CUBE_SCALE * x * x)
        phi = 0.5 + 0.5 * xp.tanh(u)  # approximates Phi(x)
        return self.remember(x * phi, x, phi)

    def backward(self, dy):
        x, phi = self.recall(dy)
        du = _TANH_SCALE * (1 + 3 * _CUBE_SCALE * x * x)
        density = 2 * phi * (1 - phi) * du  # phi' = (1 - tanh(u)^2) u' / 2
        return dy * (phi + x * density)  # d(x phi) = (phi + x phi') dx


_TANH_SCALE = math.sqrt(2 / math.pi)
_CUBE_SCALE = 0.044715


def normal_cdf(x):
    """Return Phi(x), the probability that a standard normal number is below x.

    NumPy has no erf. Phi(-|x|) is exp(-x^2 / 2) times a smooth function of
    s = (104 / (|x| + 4) - 17) / 9, here a polynomial (Schonfelder 1978, "Chebyshev expansions for
    the error and related functions").

    >>> normal_cdf(np.array([-1.0, 0.0, 3.0])).round(6).tolist()
    [0.158655, 0.5, 0.99865]
    """
    # s runs from 1 at x = 0 to -1 at |x| = 9, where the tail is lost in the rounding of float64
    s = (104 / 9) / (xp.abs(x) + 4) - 17 / 9

    # Horner's scheme
    tail = _TAIL_COEFFICIENTS[-1] * s
    for coefficient in _TAIL_COEFFICIENTS[-2:0:-1]:
        tail = (tail + coefficient) * s
    tail = (tail + _TAIL_COEFFICIENTS[0]) * xp.exp(-0.5 * x * x)  # Phi(-|x|)
    return xp.where(x > 0, 1 - tail, tail)


def _scaled_tail(s):
    """Return exp(x^2 / 2) Phi(-x) for x = 104 / (9 s + 17) - 4."""
    values = []
    for x in 104 / (9 * s + 17) - 4:
        phi = math.erfc(x / math.sqrt(2)) / 2
        values.append(math.exp(x * x / 2) * phi)
    return values


# degree 17: the error of the polynomial is then below that of rounding
_CHEBYSHEV_COEFFICIENTS = np.polynomial.chebyshev.chebinterpolate(_scaled_tail, 17)
_TAIL_COEFFICIENTS = np.polynomial.chebyshev.cheb2poly(_CHEBYSHEV_COEFFICIENTS).tolist()
