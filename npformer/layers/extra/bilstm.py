"""Two recurrent layers, one for each direction."""

import numpy as np

from ...backend import xp
from ...module import Module
from ...utils import Rng
from .lstm import LSTM


class BidirectionalLSTM(Module):
    """Read a sequence from left to right and from right to left, and concatenate both states.

        y_t = [h_t rightward, h_t leftward]

    Graves and Schmidhuber 2005. See `lstm` in npformer/slow_formulas.py for the formula of each
    direction with scalar loops. Shapes: x (B, T, d_in), mask (B, T), y (B, T, 2H). The mask is as
    in `LSTM`.

    Arguments:
        d_in: The number of features of x.
        d_hidden: H, the size of the state in each direction.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` as `LSTM` does.

    >>> layer = BidirectionalLSTM(3, 5, rng=0)
    >>> y = layer.forward(np.ones((2, 4, 3), "float32"))
    >>> y.shape, layer.backward(y).shape
    ((2, 4, 10), (2, 4, 3))
    """

    def __init__(self, d_in: int, d_hidden: int, *, rng: Rng = None, dtype: str = "float32"):
        rng = np.random.default_rng(rng)
        self.rightward = LSTM(d_in, d_hidden, rng=rng, dtype=dtype)
        self.leftward = LSTM(d_in, d_hidden, rng=rng, dtype=dtype)

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        rightward = self.rightward.forward(x, mask)  # (B, T, H)

        # the second LSTM gets the sequence reversed, and its result is reversed back
        reversed_mask = None if mask is None else mask[:, ::-1]  # (B, T)
        leftward = self.leftward.forward(x[:, ::-1], reversed_mask)  # (B, T, H)
        leftward = leftward[:, ::-1]
        return self.remember(xp.concatenate([rightward, leftward], -1))  # (B, T, 2H)

    def backward(self, dy):  # (B, T, 2H)
        self.recall(dy)
        drightward, dleftward = xp.split(dy, 2, -1)  # (B, T, H)
        dx = self.rightward.backward(drightward)  # (B, T, d_in)
        dx_reversed = self.leftward.backward(dleftward[:, ::-1])
        return dx + dx_reversed[:, ::-1]  # x entered twice
