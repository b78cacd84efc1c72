"""The sigmoid linear unit."""

from ...backend import xp
from ...module import Module
from ..validation import check_floats


class SiLU(Module):
    """Multiply x by its own sigmoid.

        SiLU(x) = x s(x),   s(x) = 1 / (1 + exp(-x)) = (1 + tanh(x / 2)) / 2

    Hendrycks and Gimpel 2016, section 2; Ramachandran et al. 2017, who call it Swish. One number at a time it is `silu`
    in tests/slow_formulas.py. Any shape. Raises `InputError` for x that is not an array of floats.

    >>> import numpy as np
    >>> silu = SiLU()
    >>> silu.forward(np.array([-1.0, 0.0, 1.0])).round(4).tolist(), silu.backward(np.ones(3)).round(4).tolist()
    ([-0.2689, 0.0, 0.7311], [0.0723, 0.5, 0.9277])
    """

    def forward(self, x):
        check_floats(self, x)
        sigmoid = 0.5 + 0.5 * xp.tanh(0.5 * x)  # which overflows for no x
        return self.remember(x * sigmoid, x, sigmoid)

    def backward(self, dy):
        x, sigmoid = self.recall(dy)
        return dy * sigmoid * (1 + x * (1 - sigmoid))  # s' = s (1 - s)
