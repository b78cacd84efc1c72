"""The linear layer.

Next: activations.py
"""

from ..backend import xp
from ..module import Module, Parameter
from ..utils import Rng
from .hyperparameter_checks import check_sizes
from .initialization import initialize
from .row_and_column_sums import column_sum, flatten_positions
from .validation import check_last_axis


class Linear(Module):
    """Multiply each position with one matrix and add a bias.

        y = x W + b

    The projections W^Q, W^K, W^V, W^O of paper section 3.2.2 and the two halves of equation 2. See
    `linear` in npformer/slow_formulas.py for the same formula with scalar loops. x is (..., d_in),
    y is (..., d_out), `weight` is (d_in, d_out), `bias` is (d_out,) and starts at zero.

    Arguments:
        d_in: The number of features of x.
        d_out: The number of features of y.
        bias: Whether there is a bias; without one the attribute `bias` is None.
        init: How `weight` starts: "glorot", "glorot_normal" or "per_head" (initialization.py).
        gain: What the starting `weight` is multiplied by.
        rng: A generator or a seed.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1 or an unknown init, or when the last axis of x is not
    d_in.

    >>> import numpy as np
    >>> linear = Linear(3, 5, rng=np.random.default_rng(0))
    >>> y = linear.forward(np.ones((2, 4, 3), "float32"))
    >>> y.shape, linear.backward(y).shape, linear.weight.grad.shape
    ((2, 4, 5), (2, 4, 3), (3, 5))
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        bias: bool = True,
        init: str = "glorot",
        gain: float = 1.0,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_sizes(d_in=d_in, d_out=d_out)
        weight = initialize(init, d_in, d_out, rng, dtype, gain=gain)
        self.weight = Parameter(weight)  # (d_in, d_out)
        self.bias = Parameter(xp.zeros(d_out, dtype)) if bias else None  # (d_out,)

    def forward(self, x):  # (..., d_in)
        check_last_axis(self, x, self.weight.data.shape[0], "d_in")
        # one product for all positions: NumPy would multiply (B, T, d_in) sentence by sentence
        y = flatten_positions(x) @ self.weight.data  # (N, d_out)
        if self.bias is not None:
            y += self.bias.data
        return self.remember(y.reshape(*x.shape[:-1], y.shape[-1]), x)  # (..., d_out)

    def backward(self, dy):  # (..., d_out)
        (x,) = self.recall(dy)
        rows = flatten_positions(x)  # (N, d_in)
        drows = flatten_positions(dy)  # (N, d_out)
        if self.bias is not None:
            self.bias.grad += column_sum(dy)  # (d_out,)
        self.weight.grad += rows.T @ drows  # (d_in, d_out)
        return (drows @ self.weight.data.T).reshape(x.shape)  # (..., d_in)
