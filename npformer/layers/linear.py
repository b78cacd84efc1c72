"""The linear layer.

Next: feed_forward.py
"""

from ..backend import xp
from ..module import Module, Parameter
from ..utils import Rng
from .hyperparameter_checks import check_sizes
from .init import initialize
from .row_and_column_sums import column_sum, flatten_positions
from .validation import check_last_axis


class Linear(Module):
    """Multiply each position with one matrix and add a bias.

        y = x W + b

    The projections W^Q, W^K, W^V, W^O of paper section 3.2.2 and the two halves of equation 2; one number at a time it
    is `linear` in npformer/slow_formulas.py. x is (..., d_in), y is (..., d_out). `weight` is (d_in, d_out) and starts as
    `init` says (init.py), times `gain`; `bias` is (d_out,) and starts at zero, or is None with `bias=False`.

    Raises `InputError` for a size below 1 or an unknown init, or when the last axis of x is not d_in.

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
        bias=True,
        init="glorot",
        gain=1.0,
        rng: Rng = None,
        dtype="float32",
    ):
        check_sizes(d_in=d_in, d_out=d_out)
        self.weight = Parameter(
            initialize(init, d_in, d_out, rng, dtype, gain=gain)
        )  # (d_in, d_out)
        self.bias = Parameter(xp.zeros(d_out, dtype)) if bias else None  # (d_out,)

    def forward(self, x):  # (..., d_in)
        check_last_axis(self, x, self.weight.data.shape[0], "d_in")
        y = flatten_positions(x) @ self.weight.data  # (N, d_out)
        if self.bias is not None:
            y += self.bias.data
        return self.remember(y.reshape(*x.shape[:-1], y.shape[-1]), x)  # (..., d_out)

    def backward(self, dy):  # (..., d_out)
        (x,) = self.recall(dy)
        rows, drows = flatten_positions(x), flatten_positions(dy)  # (N, d_in), (N, d_out)
        if self.bias is not None:
            self.bias.grad += column_sum(dy)  # (d_out,)
        self.weight.grad += rows.T @ drows  # (d_in, d_out)
        return (drows @ self.weight.data.T).reshape(x.shape)  # (..., d_in)
