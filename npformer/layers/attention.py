"""Scaled dot-product attention: paper section 3.2.1, figure 2 left."""

import math

import numpy as np

from ..backend import xp
from ..module import Module
from ..utils import InputError
from .dropout import Dropout
from .softmax import Softmax
from .validation import check_floats, check_mask


def causal_mask(length: int, before: int = 0):
    """Hide the future: a mask (T, before + T) in which query t sees `before` earlier positions, and 0 .. t of its own.

    >>> causal_mask(3).tolist()
    [[True, False, False], [True, True, False], [True, True, True]]
    """
    return xp.tril(xp.ones((length, before + length), dtype=bool), before)


class ScaledDotProductAttention(Module):
    """Average the values, each weighted by how well its key answers the query.

        Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V

    Paper equation 1. Shapes: query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), result (..., T, d_v).
    `mask` is boolean, True = may attend, and broadcasts against (..., T, S). With `causal` nobody sees the future,
    whatever the mask says (section 3.2.3): the queries are the last T of the S positions, all of them in training, the
    newest in decoding. (In beam search the T queries are hypotheses at one position: of the newest T keys the mask
    shows each its own alone, and of the earlier ones those of its path.)
    `dropout` acts on the weights, which the paper does not do: it is 0 unless asked for.

    Raises `InputError` when query and key differ in d_k, key and value in S, or any of them in the leading axes, when
    the mask is not boolean or does not fit, and with `causal` when there are more queries than keys.

    >>> attention = ScaledDotProductAttention()
    >>> query, key, value = np.ones((2, 5, 8)), np.ones((2, 7, 8)), np.ones((2, 7, 3))
    >>> attention.forward(query, key, value).shape
    (2, 5, 3)
    """

    def __init__(self, *, causal: bool = False, dropout: float = 0.0, rng: np.random.Generator | int | None = None):
        self.causal = causal
        self.softmax = Softmax()
        self.dropout = Dropout(dropout, rng=rng)

    @property
    def label(self) -> str:
        return f"{type(self).__name__}({'causal' if self.causal else ''})"

    def forward(self, query, key, value, mask=None):
        self.check_shapes(query, key, value)
        if self.causal:
            mask = self.without_future(mask, (*query.shape[:-1], key.shape[-2]))
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

    def without_future(self, mask, shape: tuple[int, ...]):
        """Return a mask for scores of this shape, (..., T, S), without what it shows of the future."""
        n_queries, n_keys = shape[-2:]
        if mask is not None:
            check_mask(self, mask, shape)
        if n_queries == 1:  # the newest position sees all
            return mask
        past = causal_mask(n_queries, n_keys - n_queries)  # (T, S)
        return past if mask is None else mask & past

    def check_shapes(self, query, key, value) -> None:
        """Raise `InputError` unless query is (..., T, d_k), key (..., S, d_k) and value (..., S, d_v), S at least 1."""
        check_floats(self, query, key, value)
        fits = 2 <= query.ndim == key.ndim and key.shape[:-1] == value.shape[:-1] and key.shape[-2] > 0
        if not fits or query.shape[:-2] != key.shape[:-2] or query.shape[-1] != key.shape[-1]:
            came = f"{self.label} got query {query.shape}, key {key.shape}, value {value.shape}"
            raise InputError(
                f"{came}: expected (..., T, d_k), (..., S, d_k), (..., S, d_v), S above 0, same leading axes"
            )
        if self.causal and query.shape[-2] > key.shape[-2]:
            came = f"{self.label} got query {query.shape} and key {key.shape}"
            raise InputError(f"{came}: expected keys of the queries' own positions at least, and of any before them")
