"""Rotary positions: queries and keys are rotated by an angle that grows with their position."""

from functools import partial

import numpy as np

from ...backend import to_device, xp
from ...module import Module
from ...utils import InputError, Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_even_d_k, check_sizes
from ..validation import check_floats, check_last_axis, check_length
from .validation import check_last_queries

ROTARY_PAIRS = ("neighbors", "halves")


class RotaryPositionalEncoding(Module):
    """Rotate each pair of features by an angle that grows with the position.

        y[2i]     = x[2i] cos(a) - x[2i + 1] sin(a)
        y[2i + 1] = x[2i] sin(a) + x[2i + 1] cos(a),   a = pos / base^(2i / d_k)

    Su et al. 2021, eq. 15 and 34; the angles are those of paper section 3.5, so the first pair
    rotates fastest. With `pairs` = "halves" feature i is paired with feature i + d_k / 2, as in
    GPT-NeoX and Llama. See `rotate` in npformer/slow_formulas.py for the same formula with scalar
    loops. x is (..., T, d_k), the positions from `start` on.

    Arguments:
        d_k: The number of features of x, an even number.
        max_len: The number of positions.
        base: A larger one makes the slow pairs slower, for longer texts.
        pairs: "neighbors" or "halves": which two features are a pair.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when d_k is odd, for a base that is not above 0 or other
    pairs, when start is below 0, when start + T is above max_len, or when the last axis of x is not
    d_k.

    >>> import numpy as np
    >>> rotation = RotaryPositionalEncoding(2, dtype="float64")
    >>> rotation.forward(np.array([[1.0, 0.0]] * 3)).round(3).tolist()
    [[1.0, 0.0], [0.54, 0.841], [-0.416, 0.909]]
    """

    def __init__(
        self,
        d_k: int,
        *,
        max_len: int = 512,
        base: float = 10000.0,
        pairs: str = "neighbors",
        dtype: str = "float32",
    ):
        check_sizes(d_k=d_k, max_len=max_len)
        check_even_d_k(d_k)
        if not base > 0:
            raise InputError(f"base = {base!r}: expected a number above 0")
        if pairs not in ROTARY_PAIRS:
            raise InputError(f"pairs = {pairs!r}: expected one of {', '.join(ROTARY_PAIRS)}")

        position = np.arange(max_len)[:, None]  # (max_len, 1)
        angle = position / float(base) ** (np.arange(0, d_k, 2) / d_k)  # (max_len, d_k / 2)
        self.sin = to_device(np.sin(angle).astype(dtype))  # (max_len, d_k / 2)
        self.cos = to_device(np.cos(angle).astype(dtype))  # (max_len, d_k / 2)
        check_floats(self, self.sin)

        # the features that are the first of a pair, and those that are the second
        self.first = slice(0, None, 2)
        self.second = slice(1, None, 2)
        if pairs == "halves":
            self.first = slice(0, d_k // 2)
            self.second = slice(d_k // 2, None)

    @property
    def display_name(self) -> str:
        return f"RotaryPositionalEncoding({2 * self.sin.shape[1]})"

    def forward(self, x, start: int = 0):  # (..., T, d_k)
        check_last_axis(self, x, 2 * self.sin.shape[1], "d_k")
        end = check_length(self, x, start, len(self.sin))
        sin = self.sin[start:end]  # (T, d_k / 2)
        cos = self.cos[start:end]  # (T, d_k / 2)
        return self.remember(self._rotate(x, sin, cos), sin, cos)

    def backward(self, dy):  # (..., T, d_k)
        sin, cos = self.recall(dy)
        return self._rotate(dy, -sin, cos)  # the transpose of a rotation rotates back

    def _rotate(self, x, sin, cos):  # (..., T, d_k), (T, d_k / 2), (T, d_k / 2)
        first = x[..., self.first]  # (..., T, d_k / 2)
        second = x[..., self.second]  # (..., T, d_k / 2)
        y = xp.zeros_like(x)  # (..., T, d_k)
        y[..., self.first] = first * cos - second * sin
        y[..., self.second] = first * sin + second * cos
        return y


class RotaryAttention(ScaledDotProductAttention):
    """Attention whose scores depend on positions only through the distance of query and key.

        score_ts = (R_t q_t) . (R_s k_s) / sqrt(d_k) = q_t . R_(s - t) k_s / sqrt(d_k)

    Su et al. 2021, eq. 16. `forward` rotates queries and keys, as `RotaryPositionalEncoding` does
    by R_t, and passes them to another attention; `backward` goes the other way. As the `attention`
    of a `SelfAttention` it rotates each head after W^Q and W^K, and no positions have to be added
    to x:

        SelfAttention(8, 2, attention=RotaryAttention(4, causal=True))

    The queries are the last T of the S positions. Shapes and mask are those of
    `ScaledDotProductAttention`.

    Arguments:
        d_k: The number of features of a query or key, an even number. In a `SelfAttention` it is
            d_model / n_heads by default.
        attention: The attention that gets the rotated queries and keys, by default a
            `ScaledDotProductAttention`.
        max_len, base, pairs: As in `RotaryPositionalEncoding`.
        causal, dropout, rng: Those of the default attention.
        dtype: "float32" or "float64".

    Raises `InputError` as its attention and `RotaryPositionalEncoding` do, and for `causal` or
    `dropout` together with an attention, which has its own.

    >>> import numpy as np
    >>> from npformer.layers import SelfAttention
    >>> rotary = SelfAttention(8, 2, attention=RotaryAttention(4, causal=True), rng=0)
    >>> rotary.forward(np.ones((3, 5, 8), "float32")).shape
    (3, 5, 8)
    """

    # softmax and dropout are those of `attention`: the base class's constructor would make others
    def __init__(
        self,
        d_k: int,
        *,
        attention: ScaledDotProductAttention | None = None,
        max_len: int = 512,
        base: float = 10000.0,
        pairs: str = "neighbors",
        causal: bool = False,
        dropout: float = 0.0,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        if attention is None:
            attention = ScaledDotProductAttention(causal=causal, dropout=dropout, rng=rng)
        elif causal or dropout:
            raise InputError("causal and dropout are those of the attention: give them to it")
        self.causal = attention.causal

        # two, because each remembers the positions that it rotated
        rotation = partial(
            RotaryPositionalEncoding, d_k, max_len=max_len, base=base, pairs=pairs, dtype=dtype
        )
        self.query_rotation = rotation()
        self.key_rotation = rotation()
        self.attention = attention

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., S, d_k), (..., S, d_v)
        check_last_queries(self, query, key, value)
        start = key.shape[-2] - query.shape[-2]  # the position of the first query
        query = self.query_rotation.forward(query, start)  # (..., T, d_k)
        key = self.key_rotation.forward(key)  # (..., S, d_k)
        y = self.attention.forward(query, key, value, mask)  # (..., T, d_v)
        return self.remember(y)

    def backward(self, dy):  # (..., T, d_v)
        self.recall(dy)  # checks the shape of dy
        dquery, dkey, dvalue = self.attention.backward(dy)
        dquery = self.query_rotation.backward(dquery)  # (..., T, d_k)
        dkey = self.key_rotation.backward(dkey)  # (..., S, d_k)
        return dquery, dkey, dvalue
