"""Two recurrent layers, one for each direction."""

import numpy as np

from ...backend import xp
from ...module import Module
from .lstm import LSTM


class BidirectionalLSTM(Module):
    """Read a sequence from left to right and from right to left, and concatenate both states at each position.

        y_t = [h_t rightward, h_t leftward]

    Graves and Schmidhuber 2005. Each is `lstm` of npformer/slow_formulas.py. x is (B, T, d_in), y (B, T, 2H), mask (B, T).

    >>> layer = BidirectionalLSTM(3, 5, rng=0)
    >>> y = layer.forward(np.ones((2, 4, 3), "float32"))
    >>> y.shape, layer.backward(y).shape
    ((2, 4, 10), (2, 4, 3))
    """

    def __init__(self, d_in: int, d_hidden: int, *, rng=None, dtype="float32"):
        rng = np.random.default_rng(rng)
        self.rightward = LSTM(d_in, d_hidden, rng=rng, dtype=dtype)
        self.leftward = LSTM(d_in, d_hidden, rng=rng, dtype=dtype)

    def forward(self, x, mask=None):  # (B, T, d_in), (B, T)
        rightward = self.rightward.forward(x, mask)
        leftward = self.leftward.forward(x[:, ::-1], None if mask is None else mask[:, ::-1])[
            :, ::-1
        ]
        return self.remember(xp.concatenate([rightward, leftward], -1))  # (B, T, 2H)

    def backward(self, dy):  # (B, T, 2H)
        self.recall(dy)
        rightward, leftward = xp.split(dy, 2, -1)
        dx = self.rightward.backward(rightward)
        return dx + self.leftward.backward(leftward[:, ::-1])[:, ::-1]  # x entered twice
