"""Pooling: one vector for a text, from the vectors of its positions."""

from ...backend import xp
from ...module import Module
from .validation import check_tokens


class _WeightedSum(Module):
    """A sum over the positions of a text, with the weights (B, S, 1) or (B, S, D) of `_weigh`."""

    def forward(self, x, mask):  # (B, S, D), (B, S)
        check_tokens(self, x, mask)
        weights = self._weigh(x, mask)  # (B, S, 1), or (B, S, D)
        y = (weights * x).sum(1)  # (B, D)
        return self.remember(y, weights)

    def backward(self, dy):  # (B, D)
        (weights,) = self.recall(dy)
        return weights * dy[:, None]  # (B, S, D)

    def _weigh(self, x, mask):
        raise NotImplementedError


class MeanPooling(_WeightedSum):
    """Average the vectors of a text's real tokens.

        y = sum over real s of x_s / (number of real s)

    x is (B, S, D); `mask` (B, S) is boolean, True = a real token; y is (B, D). Without a real token
    y and its gradient are zero.

    Raises `InputError` when the shapes do not fit or the mask is not boolean.

    >>> import numpy as np
    >>> pooling = MeanPooling()
    >>> x = np.array([[[2.0], [4.0], [9.0]]])
    >>> pooling.forward(x, np.array([[True, True, False]]))
    array([[3.]])
    >>> pooling.backward(np.ones((1, 1))).tolist()
    [[[0.5], [0.5], [0.0]]]
    """

    def _weigh(self, x, mask):
        n_real = xp.maximum(mask.sum(1, keepdims=True), 1)  # (B, 1)
        weights = (mask / n_real).astype(x.dtype)  # (B, S)
        return weights[..., None]  # (B, S, 1)


class MaxPooling(_WeightedSum):
    """Take the largest value of each feature over a text's real tokens.

        y_d = max over real s of x_sd

    Collobert et al. 2011, section 3.2.2. Where several positions have the maximum, the first gets
    the gradient. Shapes, mask and errors are those of `MeanPooling`.
    """

    def _weigh(self, x, mask):
        mask = mask[..., None]  # (B, S, 1)
        first = xp.where(mask, x, -xp.inf).argmax(1)  # (B, D), the position of the maximum
        positions = xp.arange(x.shape[1])[:, None]  # (S, 1)
        return mask & (positions == first[:, None])  # (B, S, D)


class FirstTokenPooling(_WeightedSum):
    """Take the vector of the first token, as BERT does: Devlin et al. 2019, section 3.

    Where the first position is padding, y and its gradient are zero. Shapes, mask and errors are
    those of `MeanPooling`.
    """

    def _weigh(self, x, mask):
        is_first = xp.arange(x.shape[1]) == 0  # (S,)
        return (mask & is_first)[..., None]  # (B, S, 1)
