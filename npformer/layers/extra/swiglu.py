"""The feed-forward network with a gate."""

from functools import partial

import numpy as np

from ...module import Module
from ...utils import Rng
from ..activations import SiLU
from ..linear import Linear


class SwiGLU(Module):
    """Transform each position on its own, by a linear map that a second one gates.

        SwiGLU(x) = (SiLU(x W) * (x V)) W_2

    Shazeer 2020, eq. 6, without biases as there unless `bias` is True. See `swiglu` in
    npformer/slow_formulas.py for the same formula with scalar loops. x and y are (..., D), W and V
    are (D, F), W_2 is (F, D). Three matrices with d_ff = 2/3 F have the weights of the paper's two
    with d_ff = F.

    Arguments:
        d_model: D, the number of features of x and y.
        d_ff: F, the number of features between.
        bias: Whether the three maps have a bias.
        init: How matrices start: see initialization.py.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` as `Linear` does.

    >>> network = SwiGLU(4, 16, rng=np.random.default_rng(0))
    >>> network.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 4)
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        bias: bool = False,
        init: str = "glorot",
        rng: Rng = None,
        dtype: str = "float32",
    ):
        rng = np.random.default_rng(rng)
        linear = partial(Linear, bias=bias, init=init, rng=rng, dtype=dtype)
        self.gate = linear(d_model, d_ff)  # W
        self.activation = SiLU()
        self.linear_1 = linear(d_model, d_ff)  # V
        self.linear_2 = linear(d_ff, d_model)  # W_2

    def forward(self, x):  # (..., D)
        gate = self.activation.forward(self.gate.forward(x))  # (..., F)
        value = self.linear_1.forward(x)  # (..., F)
        y = self.linear_2.forward(gate * value)  # (..., D)
        return self.remember(y, gate, value)

    def backward(self, dy):  # (..., D)
        gate, value = self.recall(dy)
        dproduct = self.linear_2.backward(dy)  # (..., F)
        dx_value = self.linear_1.backward(dproduct * gate)  # (..., D)
        dgate = self.activation.backward(dproduct * value)  # (..., F)
        dx_gate = self.gate.backward(dgate)  # (..., D)
        return dx_value + dx_gate  # x entered twice
