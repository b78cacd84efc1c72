"""Rotary positions: queries and keys are turned by an angle that grows with their position."""

from ...backend import to_device, xp
from ...module import Module
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_even, check_sizes
from ..positional_encoding import sinusoids
from ..validation import check_attention, check_floats, check_last_axis, check_length


class RotaryPositionalEncoding(Module):
    """Rotate each pair of features by an angle that grows with the position, fastest in the first pair.

        y[2i]     = x[2i] cos(a) - x[2i + 1] sin(a)
        y[2i + 1] = x[2i] sin(a) + x[2i + 1] cos(a),   a = pos / 10000^(2i / d_k)

    Su et al. 2021, eq. 15 and 34; `rotate` in npformer/slow_formulas.py. The angles are those of paper section 3.5. x is
    (..., T, d_k), the positions from `start` on. Raises `InputError` for a size below 1, when d_k is odd, start is
    below 0, start + T is above max_len, or the last axis of x is not d_k.

    >>> import numpy as np
    >>> RotaryPositionalEncoding(2, dtype="float64").forward(np.array([[1.0, 0.0]] * 3)).round(3).tolist()
    [[1.0, 0.0], [0.54, 0.841], [-0.416, 0.909]]
    """

    def __init__(self, d_k: int, *, max_len: int = 512, dtype="float32"):
        check_sizes(d_k=d_k, max_len=max_len)
        check_even(d_k, "d_k")
        table = to_device(sinusoids(max_len, d_k).astype(dtype))  # (max_len, d_k)
        check_floats(self, table)
        self.sin, self.cos = table[:, 0::2], table[:, 1::2]  # (max_len, d_k / 2)

    @property
    def label(self) -> str:
        return f"RotaryPositionalEncoding({2 * self.sin.shape[1]})"

    def forward(self, x, start: int = 0):  # (..., T, d_k)
        check_last_axis(self, x, 2 * self.sin.shape[1], "d_k")
        end = check_length(self, x, start, len(self.sin))
        sin, cos = self.sin[start:end], self.cos[start:end]  # (T, d_k / 2)
        return self.remember(_rotate(x, sin, cos), sin, cos)

    def backward(self, dy):  # (..., T, d_k)
        sin, cos = self.recall(dy)
        return _rotate(dy, -sin, cos)  # the transpose of a rotation turns back


def _rotate(x, sin, cos):  # (..., T, d_k), (T, d_k / 2)
    first, second = x[..., 0::2], x[..., 1::2]  # (..., T, d_k / 2)
    y = xp.empty_like(x)
    y[..., 0::2] = first * cos - second * sin
    y[..., 1::2] = first * sin + second * cos
    return y


class RotaryAttention(ScaledDotProductAttention):
    """Scaled dot-product attention whose scores depend on how far apart query and key are, not on where they are.

        score_ts = (R_t q_t) (R_s k_s) / sqrt(d_k) = q_t R_(s - t) k_s / sqrt(d_k)

    Su et al. 2021, eq. 16. R_t rotates as `RotaryPositionalEncoding` does. For self-attention: the queries are the last
    T of the S positions. Shapes, mask, settings and errors are those of `ScaledDotProductAttention`.

    >>> import numpy as np
    >>> from npformer.layers import SelfAttention
    >>> rotary = SelfAttention(8, 2, attention=RotaryAttention(4, causal=True), rng=0)
    >>> rotary.forward(np.ones((3, 5, 8), "float32")).shape
    (3, 5, 8)
    """

    def __init__(self, d_k: int, *, max_len: int = 512, dtype="float32", **settings):
        super().__init__(**settings)
        self.query_rotation = RotaryPositionalEncoding(d_k, max_len=max_len, dtype=dtype)
        self.key_rotation = RotaryPositionalEncoding(d_k, max_len=max_len, dtype=dtype)

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., S, d_k), (..., S, d_v)
        check_attention(self, query, key, value, mask)
        query = self.query_rotation.forward(query, key.shape[-2] - query.shape[-2])
        return super().forward(query, self.key_rotation.forward(key), value, mask)  # (..., T, d_v)

    def backward(self, dy):  # (..., T, d_v)
        dquery, dkey, dvalue = super().backward(dy)
        return self.query_rotation.backward(dquery), self.key_rotation.backward(dkey), dvalue
