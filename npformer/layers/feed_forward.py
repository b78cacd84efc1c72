"""The position-wise feed-forward network: paper section 3.3."""

from ..base import generator
from ..module import Module
from .linear import Linear
from .relu import ReLU


class FeedForward(Module):
    """Let each position think for itself: two linear maps with a ReLU between.

        FFN(x) = max(0, x W_1 + b_1) W_2 + b_2

    Paper equation 2. Leading axes are free: x and y are (..., D); the hidden layer has d_ff features. `init` is as in
    `Linear`.

    >>> import numpy as np
    >>> feed_forward = FeedForward(4, 16, rng=np.random.default_rng(0))
    >>> feed_forward.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(self, d_model: int, d_ff: int, *, init: str = "glorot", rng=None, dtype="float32"):
        rng = generator(rng)
        settings = {"init": init, "rng": rng, "dtype": dtype}
        self.linear_1 = Linear(d_model, d_ff, **settings)
        self.relu = ReLU()
        self.linear_2 = Linear(d_ff, d_model, **settings)

    def forward(self, x):  # (..., D)
        hidden = self.relu.forward(self.linear_1.forward(x))  # (..., F)
        return self.linear_2.forward(hidden)  # (..., D)

    def backward(self, dy):  # (..., D)
        dhidden = self.linear_2.backward(dy)  # (..., F)
        return self.linear_1.backward(self.relu.backward(dhidden))  # (..., D)
