"""Scaled dot-product attention: paper section 3.2.1, figure 2 left."""

import math

import numpy as np

from ..base import InputError
from ..module import Module
from .checks import check_floats
from .dropout import Dropout
from .softmax import Softmax


class ScaledDotProductAttention(Module):
    """Average the values, each weighted by how well its key answers the query.

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    Paper equation 1. Shapes: query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), result (..., T, d_v).
    `mask` is boolean, True = may attend, and broadcasts against (..., T, S). `dropout` acts on the weights, which the
    paper does not do: it is 0 unless asked for.

    Raises `InputError` when query and key differ in d_k, key and value in S, or any of them in the leading axes, and
    when the mask is not boolean or does not fit.

    >>> attention = ScaledDotProductAttention()
    >>> query, key, value = np.ones((2, 5, 8)), np.ones((2, 7, 8)), np.ones((2, 7, 3))
    >>> attention.forward(query, key, value).shape
    (2, 5, 3)
    """

    def __init__(self, *, dropout: float = 0.0, rng: np.random.Generator | int | None = None):
        self.softmax = Softmax()
        self.dropout = Dropout(dropout, rng=rng)

    def forward(self, query, key, value, mask=None):
        self.check_shapes(query, key, value)
        scores = query @ key.swapaxes(-1, -2)  # (..., T, S)
        scores *= 1 / math.sqrt(query.shape[-1])
        weights = self.dropout.forward(self.softmax.forward(scores, mask))  # (..., T, S)
        return self.remember(weights @ value, query, key, value, weights)  # (..., T, d_v)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, weights = self.recall(dy)
        dvalue = weights.swapaxes(-1, -2) @ dy  # (..., S, d_v)
        dweights = dy @ value.swapaxes(-1, -2)  # (..., T, S)
        dscores = self.softmax.backward(self.dropout.backward(dweights))  # (..., T, S)
        dscores *= 1 / math.sqrt(query.shape[-1])
        dkey = dscores.swapaxes(-1, -2) @ query  # (..., S, d_k)
        dquery = dscores @ key  # (..., T, d_k)
        return dquery, dkey, dvalue

    def check_shapes(self, query, key, value) -> None:
        """Raise `InputError` unless query is (..., T, d_k), key (..., S, d_k) and value (..., S, d_v)."""
        check_floats(self, query, key, value)
        fits = 2 <= query.ndim == key.ndim and key.shape[:-1] == value.shape[:-1]
        if not fits or query.shape[:-2] != key.shape[:-2] or query.shape[-1] != key.shape[-1]:
            came = f"{self.label} got query {query.shape}, key {key.shape}, value {value.shape}"
            raise InputError(f"{came}: expected (..., T, d_k), (..., S, d_k), (..., S, d_v) with the same leading axes")
