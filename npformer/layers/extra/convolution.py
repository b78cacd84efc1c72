"""The convolutional layer that the Transformer replaced."""

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ..hyperparameter_checks import check_sizes
from ..init import glorot_uniform
from ..row_and_column_sums import column_sum, flatten_positions
from ..validation import check_last_axis
from .validation import check_tokens


class Convolution(Module):
    """Sum over the neighbors of each position, each times a matrix that depends on the distance alone.

        y_t = sum_j x_(t - before + j dilation) W_j + b,   j = 0 .. width - 1,   x = 0 outside of the sequence

    Waibel et al. 1989; van den Oord et al. 2016, figures 2 and 3, for `causal` and `dilation`. `before` is half of
    (width - 1) dilation, rounded down, and with `causal=True` all of it. One number at a time it is `convolution` in
    npformer/slow_formulas.py. Shapes: x (B, T, d_in), y (B, T, d_out), `weight` (width, d_in, d_out). Where `mask` (B, T)
    is False, x counts as 0.

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not boolean or not (B, T).

    >>> convolution = Convolution(3, 5, width=2, rng=0)
    >>> y = convolution.forward(np.ones((2, 4, 3), "float32"))
    >>> y.shape, convolution.backward(y).shape
    ((2, 4, 5), (2, 4, 3))
    """

    def __init__(
        self, d_in, d_out, *, width=3, dilation=1, causal=False, rng=None, dtype="float32"
    ):
        check_sizes(d_in=d_in, d_out=d_out, width=width, dilation=dilation)
        rng = np.random.default_rng(rng)
        matrices = [glorot_uniform(d_in, d_out, rng, dtype, gain=width**-0.5) for _ in range(width)]
        self.weight = Parameter(np.stack(matrices))  # (width, d_in, d_out)
        self.bias = Parameter(xp.zeros(d_out, dtype))  # (d_out,)
        self.steps = range(0, (width - 1) * dilation + 1, dilation)
        self.before = self.steps[-1] if causal else self.steps[-1] // 2

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_last_axis(self, x, self.weight.data.shape[1], "d_in")
        mask = xp.ones(x.shape[:2], bool) if mask is None else mask
        check_tokens(self, x, mask)
        length = x.shape[1]
        padded = xp.zeros(
            (len(x), length + self.steps[-1], x.shape[2]), x.dtype
        )  # (B, T + outside, d_in)
        padded[:, self.before : self.before + length] = x * mask[..., None]
        terms = (
            padded[:, j : j + length] @ w for j, w in zip(self.steps, self.weight.data, strict=True)
        )
        return self.remember(sum(terms) + self.bias.data, padded, mask)  # (B, T, d_out)

    def backward(self, dy):  # (B, T, d_out)
        padded, mask = self.recall(dy)
        length, dpadded = dy.shape[1], xp.zeros_like(padded)
        self.bias.grad += column_sum(dy)  # (d_out,)
        for i, j in enumerate(self.steps):
            window = flatten_positions(padded[:, j : j + length])  # (N, d_in)
            self.weight.grad[i] += window.T @ flatten_positions(dy)  # (d_in, d_out)
            dpadded[:, j : j + length] += dy @ self.weight.data[i].T
        return dpadded[:, self.before : self.before + length] * mask[..., None]  # (B, T, d_in)
