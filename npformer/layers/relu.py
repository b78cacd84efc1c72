"""The rectified linear unit."""

from ..backend import xp
from ..module import Module
from .validation import check_floats


class ReLU(Module):
    """Set negative values to zero: max(0, .) of paper equation 2, `feed_forward` in tests/slow_formulas.py. Any shape.

    >>> import numpy as np
    >>> relu = ReLU()
    >>> relu.forward(np.array([-1.0, 2.0])).tolist(), relu.backward(np.array([5.0, 5.0])).tolist()
    ([0.0, 2.0], [0.0, 5.0])
    """

    def forward(self, x):
        check_floats(self, x)
        y = xp.maximum(x, 0)
        return self.remember(y, y)

    def backward(self, dy):
        (y,) = self.recall(dy)
        return dy * (y > 0)
