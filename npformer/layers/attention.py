"""Scaled dot-product attention: paper section 3.2.1, figure 2 left.

Next: softmax.py
"""

import math

from ..module import Module
from ..utils import Rng
from .dropout import Dropout
from .masks import causal_mask
from .softmax import Softmax
from .validation import check_attention


class ScaledDotProductAttention(Module):
    """Average the values, each weighted by how well its key matches the query.

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    Paper equation 1. See `head` in npformer/slow_formulas.py for the same formula with scalar
    loops. Shapes: query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), result
    (..., T, d_v). `mask` is boolean, True = may attend, and broadcasts against (..., T, S).

    Arguments:
        causal: Whether the future is hidden from each query (section 3.2.3). The queries are the
            last T of the S positions.
        dropout: The probability with which a weight is set to zero, which the paper does not
            mention.
        rng: A generator or a seed for dropout.

    Raises `InputError` when the shapes of query, key and value do not fit together, when the mask
    is not boolean or does not fit, and with `causal` when there are more queries than keys.

    >>> import numpy as np
    >>> attention = ScaledDotProductAttention()
    >>> query, key, value = np.ones((2, 5, 8)), np.ones((2, 7, 8)), np.ones((2, 7, 3))
    >>> attention.forward(query, key, value).shape
    (2, 5, 3)
    """

    def __init__(self, *, causal: bool = False, dropout: float = 0.0, rng: Rng = None):
        self.causal = causal
        self.softmax = Softmax()
        self.dropout = Dropout(dropout, rng=rng)

    @property
    def display_name(self) -> str:
        return f"{type(self).__name__}({'causal' if self.causal else ''})"

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., S, d_k), (..., S, d_v)
        check_attention(self, query, key, value, mask)
        if self.causal:
            past = causal_mask(query.shape[-2], before=key.shape[-2] - query.shape[-2])  # (T, S)
            mask = past if mask is None else mask & past

        d_k = query.shape[-1]
        # scaled in place, because for long texts the scores are the largest array
        scores = query @ key.swapaxes(-1, -2)  # (..., T, S)
        scores *= 1 / math.sqrt(d_k)
        weights = self.dropout.forward(self.softmax.forward(scores, mask))  # (..., T, S)
        return self.remember(weights @ value, query, key, value, weights)  # (..., T, d_v)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, weights = self.recall(dy)
        d_k = query.shape[-1]
        dvalue = weights.swapaxes(-1, -2) @ dy  # (..., S, d_v)
        dweights = dy @ value.swapaxes(-1, -2)  # (..., T, S)
        dscores = self.softmax.backward(self.dropout.backward(dweights))  # (..., T, S)
        dscores *= 1 / math.sqrt(d_k)
        dkey = dscores.swapaxes(-1, -2) @ query  # (..., S, d_k)
        dquery = dscores @ key  # (..., T, d_k)
        return dquery, dkey, dvalue
