"""LayerNorm."""

from ..base import xp
from ..module import Module, Parameter
from .checks import check_last_axis, check_sizes
from .rows import column_sum, flat, outer, row_dot, row_mean


class LayerNorm(Module):
    """Normalise each position over its features, then scale and shift.

        y = gain * xhat + bias,   xhat = (x - mean) / sqrt(var + eps)

    Ba et al. 2016, eq. 4; paper section 3.1. `var` divides by D, not D - 1, and `eps` sits inside the root.
    Leading axes are free: x is (..., D). `gain` and `bias` are (D,) and start at 1 and 0.

    Raises `InputError` for a size below 1, or when the last axis of x is not d_model.

    >>> import numpy as np
    >>> norm = LayerNorm(4, dtype="float64")
    >>> norm.forward(np.array([1.0, 2.0, 3.0, 4.0])).round(3).tolist()
    [-1.342, -0.447, 0.447, 1.342]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6, dtype="float32"):
        check_sizes(d_model=d_model)
        self.eps = eps
        self.gain = Parameter(xp.ones(d_model, dtype))  # (D,)
        self.bias = Parameter(xp.zeros(d_model, dtype))  # (D,)

    @property
    def label(self) -> str:
        return f"LayerNorm({self.gain.data.size})"

    def forward(self, x):  # (..., D)
        check_last_axis(self, x, self.gain.data.size)

        # y = xhat * gain + bias = centred * (rstd gain) + bias
        centred = x - row_mean(x)  # (..., D)
        var = row_mean(centred * centred)  # (..., 1)
        rstd = 1 / xp.sqrt(var + self.eps)  # (..., 1)
        y = outer(rstd, self.gain.data)  # (..., D)
        y *= centred
        y += self.bias.data
        return self.remember(y, centred, rstd)  # (..., D)

    def backward(self, dy):  # (..., D)
        centred, rstd = self.recall(dy)
        gain = self.gain.data

        # dbias = sum(dy),   dgain = sum(dy * xhat), over all positions;   xhat = centred * rstd
        self.bias.grad += column_sum(dy)  # (D,)
        dy_centred = dy * centred  # (..., D)
        self.gain.grad += rstd.reshape(-1) @ flat(dy_centred)  # (D,)

        # mean and rstd both depend on x, so dxhat = dy * gain loses its components along the all-ones vector (from
        # the mean) and along xhat (from the variance):
        #   dx = rstd * (dxhat - mean(dxhat) - xhat * mean(dxhat * xhat))
        #      = dy * (rstd gain) - rstd * mean(dy * gain) - centred * rstd^3 * mean(dy * centred * gain)
        # The two means are products of dy and of dy_centred with the vector gain / D.
        along_ones = row_dot(dy, gain / gain.size) * rstd  # (..., 1)
        along_centred = row_dot(dy_centred, gain / gain.size) * rstd * rstd * rstd  # (..., 1)
        dx = outer(rstd, gain)  # (..., D)
        dx *= dy
        dx -= xp.multiply(centred, along_centred, out=dy_centred)
        dx -= along_ones
        return dx  # (..., D)
