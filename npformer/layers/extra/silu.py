"""SiLU: x times its own sigmoid."""

from ...backend import xp
from ...module import Module
from .slopes import turn_with, with_slope

FARTHEST = 80.0  # beyond, u sigmoid(-u) is below 1e-32


def fill(x, y, slope) -> None:
    """Fill y with x s(x), and slope with its derivative s(x) + x s(x) s(-x), of x (N,).

    s is the sigmoid, and s(x) = 1 - s(-x). With u = |x| and q = s(-u) = exp(-u) / (1 + exp(-u)), which no large u makes
    overflow, one line does for both signs:
        y = max(0, x) - u q,   slope = 1 / 2 + sign(x) (1 / 2 + u q (1 - q) - q)
    """
    u = xp.minimum(xp.abs(x), FARTHEST)
    q = xp.negative(u)
    xp.exp(q, out=q)
    q /= 1 + q
    u *= q
    xp.maximum(x, 0, out=y)
    y -= u
    u -= u * q
    u -= q
    u += 0.5
    turn_with(x, u, out=slope)
    slope += 0.5


class SiLU(Module):
    """Let x through by its own sigmoid: large x whole, very negative x not.

        SiLU(x) = x / (1 + exp(-x))

    Hendrycks and Gimpel 2016, section 2; Ramachandran et al. 2017, who call it Swish. Any shape.

    Raises `InputError` for x that is no float32 or float64.

    >>> import numpy as np
    >>> silu = SiLU()
    >>> silu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist(), silu.backward(np.ones(3)).round(4).tolist()
    ([-0.2689, 0.0, 0.7311], [0.0723, 0.5, 0.9277])
    """

    def forward(self, x):
        return self.remember(*with_slope(self, fill, x))

    def backward(self, dy):
        (slope,) = self.recall(dy)
        return dy * slope
