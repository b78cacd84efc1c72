"""The feed-forward network with a gate."""

import numpy as np

from ...module import Module
from ...utils import Rng
from ..activations import SiLU
from ..linear import Linear


class SwiGLU(Module):
    """Transform each position on its own: one linear map, multiplied by a second that goes through SiLU, then a third.

        SwiGLU(x) = (SiLU(x W) * (x V)) W_2

    Shazeer 2020, eq. 6, without biases as there; one number at a time it is `swiglu` in npformer/slow_formulas.py. x and y
    are (..., D); W and V are (D, F), W_2 is (F, D). Three matrices with d_ff = 2/3 F have the weights of the paper's
    two with d_ff = F.

    Raises `InputError` as `Linear` does.

    >>> network = SwiGLU(4, 16, rng=np.random.default_rng(0))
    >>> network.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(self, d_model: int, d_ff: int, *, rng: Rng = None, dtype="float32"):
        settings = {"bias": False, "rng": np.random.default_rng(rng), "dtype": dtype}
        self.gate = Linear(d_model, d_ff, **settings)  # W
        self.activation = SiLU()
        self.linear_1 = Linear(d_model, d_ff, **settings)  # V
        self.linear_2 = Linear(d_ff, d_model, **settings)  # W_2

    def forward(self, x):  # (..., D)
        gate = self.activation.forward(self.gate.forward(x))  # (..., F)
        value = self.linear_1.forward(x)  # (..., F)
        return self.remember(self.linear_2.forward(gate * value), gate, value)  # (..., D)

    def backward(self, dy):  # (..., D)
        gate, value = self.recall(dy)
        dproduct = self.linear_2.backward(dy)  # (..., F)
        dx = self.linear_1.backward(dproduct * gate)  # (..., D)
        return dx + self.gate.backward(
            self.activation.backward(dproduct * value)
        )  # x entered twice
