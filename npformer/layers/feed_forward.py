"""The position-wise feed-forward network: paper section 3.3.

Next: layer_norm.py
"""

from functools import partial

import numpy as np

from ..module import Module
from ..utils import InputError, Rng
from .activations import GELU, GELUTanh, ReLU, SiLU
from .linear import Linear
from .validation import check_last_axis

ACTIVATIONS = {"relu": ReLU, "gelu": GELU, "gelu_tanh": GELUTanh, "silu": SiLU}


class FeedForward(Module):
    """Transform each position on its own: two linear maps with a ReLU between.

        FFN(x) = max(0, x W_1 + b_1) W_2 + b_2

    Paper equation 2. See `feed_forward` in npformer/slow_formulas.py for the same formula with
    scalar loops. x and y are (..., D); the hidden layer has F = d_ff features.

    Arguments:
        d_model: D, the number of features of x and y.
        d_ff: F, the number of features between the two maps.
        activation: "relu", "gelu" as in BERT, "gelu_tanh" as in GPT-2, or "silu" as in Marian.
        bias: Whether both maps have a bias.
        init: How both matrices start (initialization.py).
        rng: A generator or a seed.
        dtype: "float32" or "float64".

    Raises `InputError` for another activation or a size below 1, or when the last axis of x is not
    d_model.

    >>> feed_forward = FeedForward(4, 16, rng=np.random.default_rng(0))
    >>> feed_forward.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        bias: bool = True,
        init: str = "glorot",
        rng: Rng = None,
        dtype: str = "float32",
    ):
        if activation not in ACTIVATIONS:
            raise InputError(
                f"activation = {activation!r}: expected one of {', '.join(ACTIVATIONS)}"
            )
        rng = np.random.default_rng(rng)
        linear = partial(Linear, bias=bias, init=init, rng=rng, dtype=dtype)
        self.linear_1 = linear(d_model, d_ff)
        self.activation = ACTIVATIONS[activation]()
        self.linear_2 = linear(d_ff, d_model)

    @property
    def display_name(self) -> str:
        d_model, d_ff = self.linear_1.weight.data.shape
        return f"FeedForward({d_model}, {d_ff})"

    def forward(self, x):  # (..., D)
        check_last_axis(self, x, self.linear_1.weight.data.shape[0])
        hidden = self.activation.forward(self.linear_1.forward(x))  # (..., F)
        return self.linear_2.forward(hidden)  # (..., D)

    def backward(self, dy):  # (..., D)
        dhidden = self.linear_2.backward(dy)  # (..., F)
        return self.linear_1.backward(self.activation.backward(dhidden))  # (..., D)
