"""Layer normalization.

Next: add_norm.py
"""

from ..backend import xp
from ..module import Module, Parameter
from .hyperparameter_checks import check_eps, check_sizes
from .row_and_column_sums import column_sum, row_mean
from .validation import check_last_axis


class LayerNorm(Module):
    """Normalize each position over its features, then scale and shift.

        y = gain * xhat + bias,   xhat = (x - mean) / sqrt(var + eps)

    Ba et al. 2016, eq. 4; paper section 3.1. See `layer_norm` in npformer/slow_formulas.py for the
    same formula with scalar loops. `var` divides by D, not D - 1; `eps` is inside the root. x is
    (..., D). `gain` and `bias` are (D,) and start at 1 and 0.

    Arguments:
        d_model: D, the number of features.
        eps: What is added to the variance.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, an eps that is not above 0, or when the last axis of x
    is not d_model.

    >>> import numpy as np
    >>> norm = LayerNorm(4, dtype="float64")
    >>> norm.forward(np.array([1.0, 2.0, 3.0, 4.0])).round(3).tolist()
    [-1.342, -0.447, 0.447, 1.342]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6, dtype: str = "float32"):
        check_sizes(d_model=d_model)
        check_eps(eps)
        self.eps = float(eps)  # a float64 of NumPy would make all float64
        self.gain = Parameter(xp.ones(d_model, dtype))  # (D,)
        self.bias = Parameter(xp.zeros(d_model, dtype))  # (D,)

    def forward(self, x):  # (..., D)
        check_last_axis(self, x, self.gain.data.size)
        centered = x - row_mean(x)  # (..., D)
        rstd = 1 / xp.sqrt(row_mean(centered * centered) + self.eps)  # (..., 1)
        xhat = centered * rstd  # (..., D)
        return self.remember(xhat * self.gain.data + self.bias.data, xhat, rstd)

    def backward(self, dy):  # (..., D)
        xhat, rstd = self.recall(dy)
        self.bias.grad += column_sum(dy)  # (D,)
        self.gain.grad += column_sum(dy * xhat)  # (D,)

        # mean and var depend on every feature, so dxhat loses its mean (through the mean)
        # and its projection on xhat (through the variance)
        dxhat = dy * self.gain.data  # (..., D)
        mean = row_mean(dxhat)  # (..., 1)
        projection = row_mean(dxhat * xhat)  # (..., 1)
        return rstd * (dxhat - mean - xhat * projection)  # (..., D)
