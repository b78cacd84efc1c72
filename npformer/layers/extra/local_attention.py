"""Restricted self-attention: paper section 4, the last row of table 1."""

import math

from ...backend import xp
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_sizes
from ..validation import check_attention
from .validation import check_same_length


class LocalAttention(ScaledDotProductAttention):
    """Attention in which each position sees r neighbors and itself: time and memory grow with T, not T^2.

        y_t = sum_s softmax_s(q_t k_s / sqrt(d_k)) v_s,   t - before <= s <= t + after

    The paper's "neighborhood of size r centered around the respective output position" (section 4): r = `neighbors` =
    before + after, after = r // 2; with `causal` all r are before t. The result is that of full attention (`head`
    in npformer/slow_formulas.py) with this band as its mask, to rounding.

    The positions are padded and cut into n blocks of `size`. The queries of a block meet the keys of its window,
    `width` = before + size + after positions, in one matrix product, and a mask hides those that are not neighbors.
    Shapes, mask, settings and errors are those of `ScaledDotProductAttention`; query and key have the same T.

    >>> import numpy as np
    >>> attention, query, key = LocalAttention(2, causal=True), np.zeros((5, 8)), np.zeros((5, 8))
    >>> attention.forward(query, key, np.array([[0.0], [3], [6], [9], [12]])).tolist()
    [[0.0], [1.5], [3.0], [6.0], [9.0]]
    """

    def __init__(
        self, neighbors: int, *, causal: bool = False, size: int | None = None, **settings
    ):
        check_sizes(neighbors=neighbors, size=1 if size is None else size)
        super().__init__(causal=causal, **settings)
        self.after = 0 if causal else neighbors // 2
        self.before = neighbors - self.after
        self.size = size or max(
            neighbors, 16
        )  # smaller blocks make products that are too small to be fast
        self.width = self.before + self.size + self.after

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., T, d_k), (..., T, d_v)
        check_attention(self, query, key, value, mask)
        check_same_length(self, query, key)
        length = query.shape[-2]
        query, key, value = self._blocks(query), self._windows(key), self._windows(value)
        scores = (
            query @ key.swapaxes(-1, -2) * (1 / math.sqrt(query.shape[-1]))
        )  # (..., n, size, width)
        weights = self.dropout.forward(
            self.softmax.forward(scores, self._window_mask(length, mask))
        )
        y = self._join_blocks(weights @ value, length)  # (..., T, d_v)
        return self.remember(y, query, key, value, weights, length)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, weights, length = self.recall(dy)
        dy = self._blocks(dy)  # (..., n, size, d_v)
        dvalue = weights.swapaxes(-1, -2) @ dy  # (..., n, width, d_v)
        dweights = dy @ value.swapaxes(-1, -2)  # (..., n, size, width)
        dscores = self.softmax.backward(self.dropout.backward(dweights))
        dscores *= 1 / math.sqrt(query.shape[-1])
        dkey = dscores.swapaxes(-1, -2) @ query  # (..., n, width, d_k)
        dquery = dscores @ key  # (..., n, size, d_k)
        return (
            self._join_blocks(dquery, length),
            self._sum_windows(dkey, length),
            self._sum_windows(dvalue, length),
        )

    def _window_mask(self, length: int, mask):
        n = -(-length // self.size)
        query = xp.arange(n * self.size).reshape(n, self.size, 1)
        key = (
            query[:, :1] - self.before + xp.arange(self.width)
        )  # (n, 1, width), some are outside of 0 .. T - 1
        near = (
            (query - self.before <= key) & (key <= query + self.after) & (key >= 0) & (key < length)
        )
        if mask is None:
            return near
        mask = xp.broadcast_to(mask, (*mask.shape[:-2], length, length))  # a view
        query = query.clip(0, length - 1)
        key = key.clip(0, length - 1)
        return near & mask[..., query, key]  # (..., n, size, width)

    def _blocks(self, x):  # (..., T, d)
        return self._pad(x, 0, 0).reshape(
            *x.shape[:-2], -1, self.size, x.shape[-1]
        )  # (..., n, size, d)

    def _join_blocks(self, x, length: int):  # (..., n, size, d)
        return x.reshape(*x.shape[:-3], -1, x.shape[-1])[..., :length, :]  # (..., T, d)

    def _windows(self, x):  # (..., T, d)
        padded = self._pad(x, self.before, self.after)
        first = xp.arange(0, padded.shape[-2] - self.width + 1, self.size)[:, None]  # (n, 1)
        return padded[..., first + xp.arange(self.width), :]  # (..., n, width, d)

    def _sum_windows(self, dx, length: int):  # (..., n, width, d)
        total = xp.zeros(
            (*dx.shape[:-3], (dx.shape[-3] - 1) * self.size + self.width, dx.shape[-1]), dx.dtype
        )
        for i in range(dx.shape[-3]):
            total[..., i * self.size : i * self.size + self.width, :] += dx[..., i, :, :]
        return total[..., self.before : self.before + length, :]  # (..., T, d)

    def _pad(self, x, before: int, after: int):  # (..., T, d)
        after += -x.shape[-2] % self.size
        return xp.pad(x, [(0, 0)] * (x.ndim - 2) + [(before, after), (0, 0)])
