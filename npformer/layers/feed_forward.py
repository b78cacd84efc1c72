"""The position-wise feed-forward network: paper section 3.3.

Next: layer_norm.py
"""

import numpy as np

from ..module import Module
from ..utils import InputError, Rng
from .activations import GELU, ReLU, SiLU
from .linear import Linear

ACTIVATIONS = {"relu": ReLU, "gelu": GELU, "silu": SiLU}


class FeedForward(Module):
    """Transform each position on its own: two linear maps with a ReLU between.

        FFN(x) = max(0, x W_1 + b_1) W_2 + b_2

    Paper equation 2; one number at a time it is `feed_forward` in npformer/slow_formulas.py. x and y are (..., D); the
    hidden layer has d_ff features. `activation` is "relu", or "gelu" as in BERT, or "silu" as in Marian.

    Raises `InputError` for another activation, and as `Linear` does.

    >>> feed_forward = FeedForward(4, 16, rng=np.random.default_rng(0))
    >>> feed_forward.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation="relu",
        init="glorot",
        rng: Rng = None,
        dtype="float32",
    ):
        if activation not in ACTIVATIONS:
            raise InputError(
                f"activation = {activation!r}: expected one of {', '.join(ACTIVATIONS)}"
            )
        settings = {"init": init, "rng": np.random.default_rng(rng), "dtype": dtype}
        self.linear_1 = Linear(d_model, d_ff, **settings)
        self.activation = ACTIVATIONS[activation]()
        self.linear_2 = Linear(d_ff, d_model, **settings)

    def forward(self, x):  # (..., D)
        hidden = self.activation.forward(self.linear_1.forward(x))  # (..., F)
        return self.linear_2.forward(hidden)  # (..., D)

    def backward(self, dy):  # (..., D)
        dhidden = self.linear_2.backward(dy)  # (..., F)
        return self.linear_1.backward(self.activation.backward(dhidden))  # (..., D)
