"""Multi-head attention: paper section 3.2.2, figure 2 right."""

import numpy as np

from ..backend import xp
from ..module import Module
from ..utils import InputError, random_generator
from .attention import ScaledDotProductAttention
from .extra.flash_attention import FlashAttention
from .extra.local_attention import LocalAttention
from .init import projection_gain
from .linear import Linear
from .validation import check_floats, check_heads, check_mask


def split_heads(x, n_heads: int):
    """Split x (B, T, H * d) into H heads: (B, H, T, d)."""
    batch, length, width = x.shape
    return x.reshape(batch, length, n_heads, width // n_heads).swapaxes(1, 2)


def merge_heads(x):
    """Lay the heads of x (B, H, T, d) side by side again: (B, T, H * d)."""
    batch, n_heads, length, width = x.shape
    return x.swapaxes(1, 2).reshape(batch, length, n_heads * width)


class MultiHeadAttention(Module):
    """Attend n_heads times at once, each time in a subspace of its own, and mix the results.

        MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O
        head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)

    Paper section 3.2.2. The matrices of all heads stand side by side in one Linear. Shapes: query (B, T, D), key and
    value (B, S, D), result (B, T, D). `mask` is boolean, True = may attend: (T, S), or (B, T, S), or anything that
    broadcasts to these; all heads share it. With a `PackedMask` in its place query (N, D), key and value (M, D) and the
    result (N, D) are packed. d_k and d_v default to d_model / n_heads. `bias=False` leaves out the
    biases, which the paper does not mention. `init` says how the weights start: as in `Linear`, W^Q, W^K and W^V as one
    matrix, or with "per_head" each head's part of them as one. With `blockwise_from` as many queries or more are
    attended to by blocks (`FlashAttention`), in memory that does not grow with T S.

    Raises `InputError` for a size below 1, when d_model is not divisible by n_heads and d_k or d_v is not given, when
    the shapes of query, key and value do not fit together, or when the mask does not fit them.

    >>> attention = MultiHeadAttention(8, 2, rng=np.random.default_rng(0))
    >>> x, memory = np.ones((3, 5, 8), "float32"), np.ones((3, 7, 8), "float32")
    >>> y = attention.forward(x, memory, memory)
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
        dropout: float = 0.0,
        bias: bool = True,
        init: str = "glorot",
        blockwise_from: int | None = None,
        rng: np.random.Generator | int | None = None,
        dtype="float32",
    ):
        check_heads(d_model, n_heads, d_k, d_v)
        rng = random_generator(rng)
        self.n_heads = n_heads
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        settings = {"bias": bias, "init": init, "rng": rng, "dtype": dtype}
        gain_k, gain_v = (projection_gain(init, d_model, n_heads, d) for d in (d_k, d_v))
        self.w_query = Linear(d_model, n_heads * d_k, gain=gain_k, **settings)
        self.w_key = Linear(d_model, n_heads * d_k, gain=gain_k, **settings)
        self.w_value = Linear(d_model, n_heads * d_v, gain=gain_v, **settings)
        self.attention = ScaledDotProductAttention(dropout=dropout, rng=rng)
        if blockwise_from is not None:
            self.attention = FlashAttention(plain_below=blockwise_from, dropout=dropout, rng=rng)
        self.w_output = Linear(n_heads * d_v, d_model, **settings)

    def forward(self, query, key, value, mask=None):  # (B, T, D), (B, S, D), (B, S, D)
        self.check_shapes(query, key, value)
        k, v = self.project(key, value)  # (B, H, S, d_k), (B, H, S, d_v)
        return self.remember(self.attend(query, k, v, mask))  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        self.recall(dy)
        dheads = split_heads(self.w_output.backward(dy), self.n_heads)  # (B, H, T, d_v)
        dq, dk, dv = self.attention.backward(dheads)
        dvalue = self.w_value.backward(merge_heads(dv))  # (B, S, D)
        dkey = self.w_key.backward(merge_heads(dk))  # (B, S, D)
        dquery = self.w_query.backward(merge_heads(dq))  # (B, T, D)
        return dquery, dkey, dvalue

    def project(self, key, value):  # (B, S, D), (B, S, D)
        """Return the keys (B, H, S, d_k) and values (B, H, S, d_v) of all heads: what a decoder caches."""
        return split_heads(self.w_key.forward(key), self.n_heads), split_heads(
            self.w_value.forward(value), self.n_heads
        )

    def attend(self, query, k, v, mask=None, attention=None):  # (B, T, D), (B, H, S, d_k), (B, H, S, d_v)
        """Attend to keys and values that have been projected already, and mix the heads: (B, T, D)."""
        q = split_heads(self.w_query.forward(query), self.n_heads)  # (B, H, T, d_k)
        if mask is not None:
            check_mask(self, mask, (len(q), q.shape[2], k.shape[2]))
            mask = xp.atleast_2d(mask)[..., None, :, :]  # ([B,] 1, T, S): the same for all heads
        heads = (attention or self.attention).forward(q, k, v, mask)  # (B, H, T, d_v)
        return self.w_output.forward(merge_heads(heads))

    def check_shapes(self, query, key, value) -> None:
        """Raise `InputError` unless query is (B, T, D), key and value are (B, S, D)."""
        check_floats(self, query, key, value)
        fits = query.ndim == 3 and query.shape[::2] == key.shape[::2] and key.shape == value.shape
        if not fits:
            got = f"{self.label} got query {query.shape}, key {key.shape}, value {value.shape}"
            raise InputError(f"{got}: expected (B, T, D), (B, S, D), (B, S, D) with the same B and D")


class SelfAttention(MultiHeadAttention):
    """Multi-head attention in which query, key and value are one and the same x (section 3.2.3).

    With `causal` no position sees those after it, whatever the mask says. With `neighbours` each sees only so many
    around it (`LocalAttention`, section 4), and `blockwise_from` counts for nothing. The others are those of
    MultiHeadAttention.
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        neighbours: int | None = None,
        causal: bool = False,
        dropout: float = 0.0,
        rng: np.random.Generator | int | None = None,
        **settings,
    ):
        rng = random_generator(rng)
        super().__init__(d_model, n_heads, dropout=dropout, rng=rng, **settings)
        if neighbours is None:
            self.attention.causal = causal
        else:
            self.attention = LocalAttention(neighbours, causal=causal, dropout=dropout, rng=rng)

    def forward(self, x, mask=None):  # (B, T, D)
        return super().forward(x, x, x, mask)

    def backward(self, dy):  # (B, T, D)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery + dkey + dvalue  # x entered three times


class CrossAttention(MultiHeadAttention):
    """Multi-head attention in which x asks and the encoder's memory answers (section 3.2.3)."""

    def forward(self, x, memory, mask=None):  # (B, T, D), (B, S, D)
        return super().forward(x, memory, memory, mask)

    def backward(self, dy):  # (B, T, D)
        dquery, dkey, dvalue = super().backward(dy)
        return dquery, dkey + dvalue  # memory entered twice
