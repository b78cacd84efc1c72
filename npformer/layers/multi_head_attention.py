"""Multi-head attention: paper section 3.2.2, figure 2 right.

Next: linear.py
"""

from functools import partial

import numpy as np

from ..backend import xp
from ..module import Module
from ..utils import InputError, Rng
from .attention import ScaledDotProductAttention
from .hyperparameter_checks import check_heads
from .initialization import projection_gain
from .linear import Linear
from .validation import check_mask, check_sequences


class MultiHeadAttention(Module):
    """Attend n_heads times in parallel, each time in another subspace, and mix the results.

        MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O
        head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)

    Paper section 3.2.2; unlike there, each of the four maps adds a bias by default. The matrices of
    all heads are side by side in one Linear; see `multi_head` in npformer/slow_formulas.py for the
    same formula head by head. Shapes: query (B, T, D), key and value (B, S, D), result (B, T, D).
    `mask` is boolean, True = may attend, and broadcasts to (B, T, S).

    Arguments:
        d_model: D, the number of features of query, key and value.
        n_heads: The number of heads, h.
        d_k, d_v: The features of a head's queries and keys, and of its values; d_model / n_heads
            by default.
        attention: What each head computes, by default a `ScaledDotProductAttention`.
        causal: Whether the default attention hides the future from each position.
        bias: Whether W^Q, W^K, W^V and W^O have a bias.
        init: How matrices start: see initialization.py.
        rng: A generator or a seed for the weights.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, or when n_heads does not divide d_model and d_k or d_v
    is not given.

    >>> attention = MultiHeadAttention(8, 2, rng=0)
    >>> x, memory = np.ones((3, 5, 8), "float32"), np.ones((3, 7, 8), "float32")
    >>> y = attention(x, memory, memory)
    >>> y.shape, [dx.shape for dx in attention.backward(y)]
    ((3, 5, 8), [(3, 5, 8), (3, 7, 8), (3, 7, 8)])
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        d_k: int | None = None,
        d_v: int | None = None,
        attention: ScaledDotProductAttention | None = None,
        causal: bool = False,
        bias: bool = True,
        init: str = "glorot",
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_heads(d_model, n_heads, d_k, d_v)
        d_k = d_k or d_model // n_heads
        d_v = d_v or d_model // n_heads
        rng = np.random.default_rng(rng)
        linear = partial(Linear, bias=bias, init=init, rng=rng, dtype=dtype)
        gain_k = projection_gain(d_model, n_heads, d_k, init)
        gain_v = projection_gain(d_model, n_heads, d_v, init)

        self.n_heads = n_heads
        self.w_query = linear(d_model, n_heads * d_k, gain=gain_k)
        self.w_key = linear(d_model, n_heads * d_k, gain=gain_k)
        self.w_value = linear(d_model, n_heads * d_v, gain=gain_v)
        self.attention = attention or ScaledDotProductAttention(causal=causal, rng=rng)
        self.w_output = linear(n_heads * d_v, d_model)
        if causal and not self.attention.causal:
            raise InputError("causal=True, but the attention is not causal: give it causal=True")

    @property
    def display_name(self) -> str:
        return f"{type(self).__name__}({self.w_query.weight.data.shape[0]}, {self.n_heads})"

    def forward(self, query, key, value, mask=None):  # (B, T, D), (B, S, D), (B, S, D)
        check_sequences(self, query, key, value, self.w_query.weight.data.shape[0])
        k, v = self.project(key, value)  # (B, H, S, d_k), (B, H, S, d_v)
        y = self.attend(query, k, v, mask)  # (B, T, D)
        return self.remember(y)  # (B, T, D); the layers inside cache all else

    def project(self, key, value):  # (B, S, D), (B, S, D)
        """Return the keys (B, H, S, d_k) and values (B, H, S, d_v) of all heads."""
        k = self._split(self.w_key.forward(key))  # (B, H, S, d_k)
        v = self._split(self.w_value.forward(value))  # (B, H, S, d_v)
        return k, v

    def attend(self, query, k, v, mask=None):  # (B, T, D), (B, H, S, d_k), (B, H, S, d_v)
        """Attend to projected keys and values, and mix the heads: (B, T, D)."""
        q = self._split(self.w_query.forward(query))  # (B, H, T, d_k)
        if mask is not None:
            check_mask(self, mask, (len(q), q.shape[2], k.shape[2]))
            mask = xp.atleast_2d(mask)[..., None, :, :]  # (..., 1, T, S): the same for all heads
        heads = self.attention.forward(q, k, v, mask)  # (B, H, T, d_v)
        return self.w_output.forward(self._merge(heads))  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        self.recall(dy)  # checks the shape of dy
        dheads = self._split(self.w_output.backward(dy))  # (B, H, T, d_v)
        dq, dk, dv = self.attention.backward(dheads)
        dquery = self.w_query.backward(self._merge(dq))  # (B, T, D)
        dkey = self.w_key.backward(self._merge(dk))  # (B, S, D)
        dvalue = self.w_value.backward(self._merge(dv))  # (B, S, D)
        return dquery, dkey, dvalue

    def _split(self, x):  # (B, T, H * d)
        batch, length, features = x.shape
        heads = x.reshape(batch, length, self.n_heads, features // self.n_heads)  # (B, T, H, d)
        return heads.swapaxes(1, 2)  # (B, H, T, d)

    def _merge(self, x):  # (B, H, T, d)
        batch, n_heads, length, features = x.shape
        x = x.swapaxes(1, 2)  # (B, T, H, d)
        return x.reshape(batch, length, n_heads * features)  # (B, T, H * d)


class SelfAttention(MultiHeadAttention):
    """Multi-head attention in which query, key and value are the same x (section 3.2.3).

    The arguments are those of `MultiHeadAttention`. x is (B, T, D).

    >>> attention = SelfAttention(8, 2, causal=True, rng=0)
    >>> attention(np.ones((3, 5, 8), "float32")).shape
    (3, 5, 8)
    """

    def forward(self, x, mask=None):  # (B, T, D)
        return super().forward(x, x, x, mask)

    def backward(self, dy):  # (B, T, D)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery + dkey + dvalue  # x entered three times


class CrossAttention(MultiHeadAttention):
    """Multi-head attention from x to the encoder's output, the memory (section 3.2.3).

    The queries come from x (B, T, D), the keys and values from the memory (B, S, D). The arguments
    are those of `MultiHeadAttention`.
    """

    def forward(self, x, memory, mask=None):  # (B, T, D), (B, S, D)
        return super().forward(x, memory, memory, mask)

    def backward(self, dy):  # (B, T, D)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery, dkey + dvalue  # memory entered twice
