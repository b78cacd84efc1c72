"""Softmax over the last axis, with a mask."""

from ..base import xp
from ..module import Module
from .checks import check_mask, check_rows
from .rows import row_max, row_sum


class Softmax(Module):
    """Turn scores into weights that are positive and sum to one over the last axis.

        y_i = exp(x_i) / sum_j exp(x_j)

    The softmax of paper equation 1. `mask` is boolean and broadcasts against x, True = may attend: where it is False
    the weight is exactly 0, as if x were -inf (section 3.2.3), and so is the gradient. A row that is masked
    throughout has no weights at all: zeros, never NaN. x is (..., S).

    Raises `InputError` when x is no array of floats (..., S) with S above 0, and when the mask is not boolean or does
    not broadcast to the shape of x.

    >>> import numpy as np
    >>> softmax = Softmax()
    >>> softmax.forward(np.zeros((1, 3)), mask=np.array([[True, True, False]])).tolist()
    [[0.5, 0.5, 0.0]]
    """

    def forward(self, x, mask=None):  # (..., S)
        check_rows(self, x)
        if mask is not None:
            check_mask(self, mask, x.shape)
            x = xp.fmin(x, xp.where(mask, *xp.asarray([xp.inf, -xp.inf], x.dtype)))  # x, or -inf where hidden
        peak = xp.maximum(row_max(x), xp.finfo(x.dtype).min)  # (..., 1), not -inf in a row without any True
        y = x - peak if mask is None else xp.subtract(x, peak, out=x)  # (..., S)
        xp.exp(y, out=y)
        total = row_sum(y)  # (..., 1)
        if mask is not None:
            total += total == 0  # a row without any True divides by 1
        y /= total
        return self.remember(y, y)

    def backward(self, dy):  # (..., S)
        (y,) = self.recall(dy)

        # dy_i / dx_j = y_i (1[i = j] - y_j), so
        #   dx = y * (dy - sum(dy * y))
        dx = dy * y  # (..., S)
        total = row_sum(dx)  # (..., 1)
        xp.subtract(dy, total, out=dx)
        dx *= y
        return dx
