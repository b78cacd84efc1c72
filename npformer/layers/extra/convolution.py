"""The convolutional layer that the Transformer replaced."""

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ...utils import Rng
from ..hyperparameter_checks import check_sizes
from ..initialization import glorot_uniform
from ..row_and_column_sums import column_sum, flatten_positions
from ..validation import check_last_axis
from .validation import check_tokens


class Convolution(Module):
    """Sum over the neighbors of each position, each times a matrix that depends on the distance.

        y_t = sum_j x_(t - before + j dilation) W_j + b,   j = 0 .. width - 1

    x is 0 outside of the sequence. Waibel et al. 1989; van den Oord et al. 2016, figures 2 and 3,
    for `causal` and `dilation`. before = (width - 1) dilation // 2, or with `causal`
    (width - 1) dilation. See `convolution` in npformer/slow_formulas.py for the same formula with
    scalar loops. Shapes: x (B, T, d_in), y (B, T, d_out), `weight` (width, d_in, d_out). Where
    `mask` (B, T) is False, x counts as 0.

    Arguments:
        d_in: The number of features of x.
        d_out: The number of features of y.
        width: The number of positions that are summed.
        dilation: The distance from one of these positions to the next.
        causal: Whether each position sees itself and earlier positions only.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not
    boolean or not (B, T).

    >>> convolution = Convolution(3, 5, width=2, rng=0)
    >>> y = convolution.forward(np.ones((2, 4, 3), "float32"))
    >>> y.shape, convolution.backward(y).shape
    ((2, 4, 5), (2, 4, 3))
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        *,
        width: int = 3,
        dilation: int = 1,
        causal: bool = False,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_sizes(d_in=d_in, d_out=d_out, width=width, dilation=dilation)

        # a sum of `width` products has `width` times the variance of one
        gain = width**-0.5
        rng = np.random.default_rng(rng)
        matrices = [glorot_uniform(d_in, d_out, rng, dtype, gain=gain) for _ in range(width)]
        self.weight = Parameter(np.stack(matrices))  # (width, d_in, d_out)
        self.bias = Parameter(xp.zeros(d_out, dtype))  # (d_out,)

        # where the positions of a window are, counted from its first
        self.offsets = range(0, (width - 1) * dilation + 1, dilation)
        self.before = self.offsets[-1] if causal else self.offsets[-1] // 2

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_last_axis(self, x, self.weight.data.shape[1], "d_in")
        if mask is None:
            mask = xp.ones(x.shape[:2], bool)  # (B, T)
        check_tokens(self, x, mask)

        batch, length, d_in = x.shape
        n_padded = length + self.offsets[-1]
        padded = xp.zeros((batch, n_padded, d_in), x.dtype)  # (B, n_padded, d_in)
        padded[:, self.before : self.before + length] = x * mask[..., None]

        y = 0
        for offset, w in zip(self.offsets, self.weight.data, strict=True):
            y = y + padded[:, offset : offset + length] @ w  # (B, T, d_out)
        return self.remember(y + self.bias.data, padded, mask)  # (B, T, d_out)

    def backward(self, dy):  # (B, T, d_out)
        padded, mask = self.recall(dy)
        self.bias.grad += column_sum(dy)  # (d_out,)

        length = dy.shape[1]
        dpadded = xp.zeros_like(padded)  # (B, n_padded, d_in)
        for j, offset in enumerate(self.offsets):
            window = flatten_positions(padded[:, offset : offset + length])  # (N, d_in)
            self.weight.grad[j] += window.T @ flatten_positions(dy)  # (d_in, d_out)
            # the windows overlap: a position gets a gradient from each of them
            dpadded[:, offset : offset + length] += dy @ self.weight.data[j].T

        dx = dpadded[:, self.before : self.before + length]  # (B, T, d_in)
        return dx * mask[..., None]
