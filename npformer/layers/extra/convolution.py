"""The convolutional layer of the models that the Transformer replaced."""

import numpy as np

from ...backend import xp
from ...module import Module, Parameter
from ...utils import random_generator
from ..init import glorot_uniform
from ..reductions import column_sum, flat
from ..validation import check_sequence, check_sizes, check_tokens


class Convolution(Module):
    """Let each position see its neighbours, each through a matrix that depends on the distance alone.

        y_t = sum_j x_(t - before + j dilation) W_j + b,   j = 0 .. width - 1,   x = 0 outside of the sequence

    Waibel et al. 1989, the time-delay network; van den Oord et al. 2016, figures 2 and 3, for `causal` and `dilation`.
    `before` is (width - 1) dilation / 2, rounded down, so that the window lies around t; with `causal=True` it is all
    of (width - 1) dilation, and no position sees a later one. Shapes: x (B, T, d_in), y (B, T, d_out), `weight`
    (width, d_in, d_out). Where `mask` (B, T) is False, x counts as 0.

    Raises `InputError` for a size below 1, when x is not (B, T, d_in), or when the mask is not boolean or not (B, T).

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
        rng: np.random.Generator | int | None = None,
        dtype="float32",
    ):
        check_sizes(d_in=d_in, d_out=d_out, width=width, dilation=dilation)
        rng = random_generator(rng)
        start = [glorot_uniform(d_in, d_out, rng, dtype, gain=width**-0.5) for _ in range(width)]
        self.weight = Parameter(np.stack(start))  # (width, d_in, d_out)
        self.bias = Parameter(xp.zeros(d_out, dtype))  # (d_out,)
        self.dilation, self.outside = dilation, (width - 1) * dilation
        self.before = self.outside if causal else self.outside // 2

    @property
    def label(self) -> str:
        return "Convolution({1}, {2}, width={0})".format(*self.weight.data.shape)

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        check_sequence(self, x, self.weight.data.shape[1])
        if mask is not None:
            check_tokens(self, mask, x.shape[:2])
            mask = mask[..., None]  # (B, T, 1)
            x = x * mask

        # With `outside` zeros between sentences all of them are one long sequence, and what W_j multiplies is a stretch
        # of its rows: one product each.
        rows = self.spread(x, self.before)  # (N, d_in), N = B (T + outside)
        y = xp.zeros((len(rows), self.bias.data.size), xp.result_type(x, self.bias.data))  # (N, d_out)
        for j, seen in enumerate(self.stretches_seen(rows)):
            y[: len(seen)] += seen @ self.weight.data[j]
        y = self.gathered(y, 0, x.shape) + self.bias.data
        return self.remember(y, rows, x.shape, mask)  # (B, T, d_out)

    def backward(self, dy):  # (B, T, d_out)
        rows, shape, mask = self.recall(dy)
        self.bias.grad += column_sum(dy)  # (d_out,)
        dy = self.spread(dy, 0)  # (N, d_out), zero between sentences
        drows = xp.zeros(rows.shape, rows.dtype)  # (N, d_in)
        for j, (seen, dseen) in enumerate(zip(self.stretches_seen(rows), self.stretches_seen(drows), strict=True)):
            self.weight.grad[j] += seen.T @ dy[: len(seen)]  # (d_in, d_out)
            dseen += dy[: len(seen)] @ self.weight.data[j].T
        dx = self.gathered(drows, self.before, shape)  # (B, T, d_in)
        return dx if mask is None else dx * mask

    def spread(self, x, before: int):
        """Lay the sentences of x (B, T, D) one after another, with zeros before and after each: (N, D)."""
        batch, length, width = x.shape
        spread = xp.zeros((batch, length + self.outside, width), x.dtype)
        spread[:, before : before + length] = x
        return flat(spread)

    def gathered(self, rows, before: int, shape: tuple[int, ...]):
        """View rows (N, D) as the sentences that `spread` has laid out, without the zeros: (B, T, D)."""
        batch, length, _ = shape
        return rows.reshape(batch, length + self.outside, rows.shape[1])[:, before : before + length]

    def stretches_seen(self, rows) -> list:
        """View rows (N, D) as what each W_j sees, from the position that reads: (N - outside, D) each."""
        steps = range(0, self.outside + 1, self.dilation)
        return [rows[step : max(len(rows) - self.outside, 0) + step] for step in steps]
