"""Pooling: one vector for a text, from the vectors of its positions."""

from ...backend import xp
from ...module import Module
from .validation import check_tokens


class _WeightedSum(Module):
    """A sum over the positions of a text, whose weights `_weigh(x, mask)` gives: (B, S, 1), or (B, S, D)."""

    def forward(self, x, mask):  # (B, S, D), (B, S)
        check_tokens(self, x, mask)
        weights = self._weigh(x, mask)
        return self.remember((weights * x).sum(1), weights)  # (B, D)

    def backward(self, dy):  # (B, D)
        (weights,) = self.recall(dy)
        return weights * dy[:, None]  # (B, S, D)


class MeanPooling(_WeightedSum):
    """Average the vectors of a text's real tokens.

        y = sum over real s of x_s / (number of real s)

    x is (B, S, D); `mask` (B, S) is boolean, True = a real token; y is (B, D). Without a real token y and its gradient
    are zero. Raises `InputError` when the shapes do not fit or the mask is not boolean.

    >>> import numpy as np
    >>> pooling, x = MeanPooling(), np.array([[[2.0], [4.0], [9.0]]])
    >>> pooling.forward(x, np.array([[True, True, False]])), pooling.backward(np.ones((1, 1))).tolist()
    (array([[3.]]), [[[0.5], [0.5], [0.0]]])
    """

    def _weigh(self, x, mask):
        n_real = xp.maximum(mask.sum(1, keepdims=True), 1)  # (B, 1)
        return (mask / n_real).astype(x.dtype)[..., None]


class MaxPooling(_WeightedSum):
    """Take the largest value of each feature over a text's real tokens: Collobert et al. 2011, section 3.2.2.

        y_d = max over real s of x_sd

    Where several positions have the maximum, the first gets the gradient. All else is as in `MeanPooling`.
    """

    def _weigh(self, x, mask):
        mask = mask[..., None]  # (B, S, 1)
        first = xp.where(mask, x, -xp.inf).argmax(1)  # (B, D)
        return mask & (xp.arange(x.shape[1])[:, None] == first[:, None])


class FirstTokenPooling(_WeightedSum):
    """Take the vector of the first token, as BERT does: Devlin et al. 2019, section 3.

    Where the first position is padding, y and its gradient are zero. All else is as in `MeanPooling`.
    """

    def _weigh(self, x, mask):
        return (mask & (xp.arange(x.shape[1]) == 0))[..., None]
