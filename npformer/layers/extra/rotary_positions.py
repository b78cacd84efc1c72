"""Rotary positions: queries and keys are rotated by an angle that grows with their position."""

from ...backend import to_device, xp
from ...module import Module
from ...utils import Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_even, check_sizes
from ..positional_encoding import sinusoids
from ..validation import check_attention, check_floats, check_last_axis, check_length


class RotaryPositionalEncoding(Module):
    """Rotate each pair of features by an angle that grows with the position.

        y[2i]     = x[2i] cos(a) - x[2i + 1] sin(a)
        y[2i + 1] = x[2i] sin(a) + x[2i + 1] cos(a),   a = pos / 10000^(2i / d_k)

    Su et al. 2021, eq. 15 and 34; the angles are those of paper section 3.5, so the first pair
    rotates fastest. See `rotate` in npformer/slow_formulas.py for the same formula with scalar
    loops. x is (..., T, d_k), the positions from `start` on.

    Arguments:
        d_k: The number of features of x, an even number.
        max_len: The number of positions.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when d_k is odd, when start is below 0, when start + T
    is above max_len, or when the last axis of x is not d_k.

    >>> import numpy as np
    >>> rotation = RotaryPositionalEncoding(2, dtype="float64")
    >>> rotation.forward(np.array([[1.0, 0.0]] * 3)).round(3).tolist()
    [[1.0, 0.0], [0.54, 0.841], [-0.416, 0.909]]
    """

    def __init__(self, d_k: int, *, max_len: int = 512, dtype: str = "float32"):
        check_sizes(d_k=d_k, max_len=max_len)
        check_even(d_k, "d_k")
        table = to_device(sinusoids(max_len, d_k).astype(dtype))  # (max_len, d_k)
        check_floats(self, table)
        self.sin = table[:, 0::2]  # (max_len, d_k / 2)
        self.cos = table[:, 1::2]  # (max_len, d_k / 2)

    @property
    def display_name(self) -> str:
        return f"RotaryPositionalEncoding({2 * self.sin.shape[1]})"

    def forward(self, x, start: int = 0):  # (..., T, d_k)
        check_last_axis(self, x, 2 * self.sin.shape[1], "d_k")
        end = check_length(self, x, start, len(self.sin))
        sin = self.sin[start:end]  # (T, d_k / 2)
        cos = self.cos[start:end]  # (T, d_k / 2)
        return self.remember(_rotate(x, sin, cos), sin, cos)

    def backward(self, dy):  # (..., T, d_k)
        sin, cos = self.recall(dy)
        return _rotate(dy, -sin, cos)  # the transpose of a rotation rotates back


def _rotate(x, sin, cos):  # (..., T, d_k), (T, d_k / 2), (T, d_k / 2)
    first = x[..., 0::2]  # (..., T, d_k / 2)
    second = x[..., 1::2]  # (..., T, d_k / 2)
    y = xp.zeros_like(x)  # (..., T, d_k)
    y[..., 0::2] = first * cos - second * sin
    y[..., 1::2] = first * sin + second * cos
    return y


class RotaryAttention(ScaledDotProductAttention):
    """Scaled dot-product attention whose scores depend on the distance of query and key alone.

        score_ts = (R_t q_t) (R_s k_s) / sqrt(d_k) = q_t R_(s - t) k_s / sqrt(d_k)

    Su et al. 2021, eq. 16. `forward` rotates queries and keys, as `RotaryPositionalEncoding` does
    by R_t, and then calls `forward` of its base class, `ScaledDotProductAttention`; `backward` goes
    the other way. As the `attention` of a `SelfAttention` it rotates each head after W^Q and W^K,
    and no positions have to be added to x:

        SelfAttention(8, 2, attention=RotaryAttention(4, causal=True))

    The queries are the last T of the S positions. Shapes and mask are those of
    `ScaledDotProductAttention`.

    Arguments:
        d_k: The number of features of a query or key, an even number. In a `SelfAttention` it is
            d_model / n_heads by default.
        max_len: The number of positions.
        causal, dropout, rng: As in `ScaledDotProductAttention`.
        dtype: "float32" or "float64".

    Raises `InputError` as `ScaledDotProductAttention` and `RotaryPositionalEncoding` do.

    >>> import numpy as np
    >>> from npformer.layers import SelfAttention
    >>> rotary = SelfAttention(8, 2, attention=RotaryAttention(4, causal=True), rng=0)
    >>> rotary.forward(np.ones((3, 5, 8), "float32")).shape
    (3, 5, 8)
    """

    def __init__(
        self,
        d_k: int,
        *,
        max_len: int = 512,
        causal: bool = False,
        dropout: float = 0.0,
        rng: Rng = None,
        dtype: str = "float32",
    ):
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        # two, because each remembers the positions that it rotated
        self.query_rotation = RotaryPositionalEncoding(d_k, max_len=max_len, dtype=dtype)
        self.key_rotation = RotaryPositionalEncoding(d_k, max_len=max_len, dtype=dtype)

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., S, d_k), (..., S, d_v)
        check_attention(self, query, key, value, mask)
        start = key.shape[-2] - query.shape[-2]  # the position of the first query
        query = self.query_rotation.forward(query, start)  # (..., T, d_k)
        key = self.key_rotation.forward(key)  # (..., S, d_k)
        return super().forward(query, key, value, mask)  # (..., T, d_v)

    def backward(self, dy):  # (..., T, d_v)
        dquery, dkey, dvalue = super().backward(dy)
        dquery = self.query_rotation.backward(dquery)  # (..., T, d_k)
        dkey = self.key_rotation.backward(dkey)  # (..., S, d_k)
        return dquery, dkey, dvalue
