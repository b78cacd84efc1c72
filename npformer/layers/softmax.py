"""Softmax over the last axis, with a mask.

Next: masks.py
"""

from ..backend import xp
from ..module import Module
from .row_and_column_sums import row_max, row_sum
from .validation import check_mask, check_rows


class Softmax(Module):
    """Turn scores into weights that are positive and sum to one over the last axis.

        y_i = exp(x_i) / sum_j exp(x_j)

    The softmax of paper equation 1. See `softmax` in npformer/slow_formulas.py for the same formula
    with scalar loops. x is (..., S). `mask` is boolean and broadcasts against x, True = may attend:
    a hidden score counts as -inf (section 3.2.3), so its weight and its gradient are exactly 0. A
    fully masked row gives zeros, not NaN.

    Raises `InputError` when x is not an array of floats (..., S), or when the mask is not boolean
    or does not fit.

    >>> import numpy as np
    >>> Softmax().forward(np.array([0.0, 0.0, 5.0]), np.array([True, True, False])).tolist()
    [0.5, 0.5, 0.0]
    """

    def forward(self, x, mask=None):  # (..., S)
        check_rows(self, x)
        if mask is not None:
            check_mask(self, mask, x.shape)
            x = xp.where(mask, x, -xp.inf)

        # exp(x - largest) / sum exp(x - largest) is the same, and no exponential overflows;
        # a fully masked row is 0 / 1
        largest = row_max(x)  # (..., 1)
        fully_masked = largest == -xp.inf  # (..., 1)
        y = xp.exp(x - xp.where(fully_masked, 0, largest))  # (..., S)
        y /= xp.where(fully_masked, 1, row_sum(y))
        return self.remember(y, y)

    def backward(self, dy):  # (..., S)
        (y,) = self.recall(dy)

        # dy_i / dx_j = y_i (1[i = j] - y_j), so  dx = y * (dy - sum(dy * y))
        return y * (dy - row_sum(dy * y))
