"""Pooling: one vector for a text, from the vectors of its positions."""

from ...backend import xp
from ...module import Module
from .validation import check_pooled


class MeanPooling(Module):
    """Average the vectors of a text's real tokens.

        y = sum over real s of x_s / (number of real s)

    x is (B, S, D); `mask` (B, S) is boolean, True = a real token; y is (B, D). Without a real token y and its gradient
    are zero. Raises `InputError` when the shapes do not fit or the mask is not boolean.

    >>> import numpy as np
    >>> pooling, x = MeanPooling(), np.array([[[2.0], [4.0], [9.0]]])
    >>> pooling.forward(x, np.array([[True, True, False]])), pooling.backward(np.ones((1, 1))).tolist()
    (array([[3.]]), [[[0.5], [0.5], [0.0]]])
    """

    def forward(self, x, mask):  # (B, S, D), (B, S)
        check_pooled(self, x, mask)
        n_real = xp.maximum(mask.sum(1, keepdims=True), 1)  # (B, 1)
        weights = (mask / n_real).astype(x.dtype)  # (B, S)
        return self.remember((weights[:, None] @ x)[:, 0], weights)  # (B, D)

    def backward(self, dy):  # (B, D)
        (weights,) = self.recall(dy)
        return weights[:, :, None] * dy[:, None]  # (B, S, D)


class MaxPooling(Module):
    """Take the largest value of each feature over a text's real tokens: Collobert et al. 2011, section 3.2.2.

        y_d = max over real s of x_sd

    Where several positions have the maximum, the first gets the gradient. All else is as in `MeanPooling`.

    >>> import numpy as np
    >>> pooling, x = MaxPooling(), np.array([[[2.0], [4.0], [9.0]]])
    >>> pooling.forward(x, np.array([[True, True, False]])), pooling.backward(np.ones((1, 1))).tolist()
    (array([[4.]]), [[[0.0], [1.0], [0.0]]])
    """

    def forward(self, x, mask):  # (B, S, D), (B, S)
        check_pooled(self, x, mask)
        first = xp.where(mask[:, :, None], x, -xp.inf).argmax(1)[:, None]  # (B, 1, D)
        some = mask.any(1)[:, None]  # (B, 1)
        y = xp.take_along_axis(x, first, 1)[:, 0] * some  # (B, D)
        return self.remember(y, first, some, x.shape[1])

    def backward(self, dy):  # (B, D)
        first, some, length = self.recall(dy)
        is_first = xp.arange(length)[:, None] == first  # (B, S, D)
        return is_first * (dy * some)[:, None]  # (B, S, D)


class FirstTokenPooling(Module):
    """Take the vector of the first token, as BERT does: Devlin et al. 2019, section 3.

    Where the first position is padding, y and its gradient are zero. All else is as in `MeanPooling`.

    >>> import numpy as np
    >>> pooling, x = FirstTokenPooling(), np.array([[[2.0], [4.0]]])
    >>> pooling.forward(x, np.array([[True, True]])), pooling.backward(np.ones((1, 1))).tolist()
    (array([[2.]]), [[[1.0], [0.0]]])
    """

    def forward(self, x, mask):  # (B, S, D), (B, S)
        check_pooled(self, x, mask)
        some = mask[:, :1]  # (B, 1)
        return self.remember(x[:, 0] * some, some, x.shape)  # (B, D)

    def backward(self, dy):  # (B, D)
        some, shape = self.recall(dy)
        dx = xp.zeros(shape, dy.dtype)  # (B, S, D)
        dx[:, 0] = dy * some
        return dx
