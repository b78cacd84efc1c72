"""Root mean square layer normalization."""

from ...backend import xp
from ...module import Module, Parameter
from ..hyperparameter_checks import check_eps, check_sizes
from ..row_and_column_sums import column_sum, row_mean
from ..validation import check_last_axis


class RMSNorm(Module):
    """Divide each position by the root of the mean of its squares, then scale.

        y = gain * xhat,   xhat = x / sqrt(mean(x^2) + eps)

    Zhang and Sennrich 2019, eq. 4: LayerNorm without mean and bias. See `rms_norm` in
    npformer/slow_formulas.py for the same formula with scalar loops. x is (..., D). `gain` is (D,)
    and starts at 1.

    Arguments:
        d_model: D, the number of features.
        eps: What is added to the mean of the squares.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, an eps that is not above 0, or when the last axis of x
    is not d_model.

    >>> import numpy as np
    >>> norm = RMSNorm(2, dtype="float64")
    >>> norm.forward(np.array([3.0, 4.0])).round(4).tolist()
    [0.8485, 1.1314]
    >>> norm.backward(np.array([1.0, 0.0])).round(4).tolist()
    [0.181, -0.1358]
    """

    def __init__(self, d_model: int, *, eps: float = 1e-6, dtype: str = "float32"):
        check_sizes(d_model=d_model)
        check_eps(eps)
        self.eps = float(eps)  # a float64 of NumPy would make all float64
        self.gain = Parameter(xp.ones(d_model, dtype))  # (D,)

    def forward(self, x):  # (..., D)
        check_last_axis(self, x, self.gain.data.size)
        scale = 1 / xp.sqrt(row_mean(x * x) + self.eps)  # (..., 1)
        xhat = x * scale  # (..., D)
        return self.remember(xhat * self.gain.data, xhat, scale)

    def backward(self, dy):  # (..., D)
        xhat, scale = self.recall(dy)
        self.gain.grad += column_sum(dy * xhat)  # (D,)

        # the root depends on every feature, so dxhat loses its projection on xhat
        dxhat = dy * self.gain.data  # (..., D)
        projection = row_mean(dxhat * xhat)  # (..., 1)
        return scale * (dxhat - xhat * projection)  # (..., D)
