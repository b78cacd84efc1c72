"""Restricted self-attention: paper section 4, the last row of table 1."""

import math

from ...backend import xp
from ...utils import Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_sizes
from ..validation import check_attention
from .validation import check_same_length

MIN_BLOCK_SIZE = 16  # positions; the products of smaller blocks are too small to be fast


class LocalAttention(ScaledDotProductAttention):
    """Attention in which each position sees r neighbors and itself, in O(T) time and memory.

        y_t = sum_s softmax_s(q_t k_s / sqrt(d_k)) v_s,   t - before <= s <= t + after

    The paper's "neighborhood of size r centered around the respective output position" (section 4):
    r = before + after, after = r // 2; with `causal` all r are before t. The result is that of full
    attention (`head` in npformer/slow_formulas.py) with this band as its mask, to rounding.

    The positions are padded and cut into n blocks of b. The queries of a block are multiplied with
    the keys of its window, `width` = before + b + after positions, in one matrix product, and a
    mask hides those that are not neighbors. Shapes and mask are those of
    `ScaledDotProductAttention`; query and key have the same length T. Only with `causal`, in eval
    mode, may there be fewer queries: the last T, as a KV cache leaves them.

    Arguments:
        neighbors: r, how many positions each position sees besides itself.
        causal: Whether all of them are earlier positions.
        block_size: b, the positions of a block. By default r, and at least 16.
        dropout, rng: As in `ScaledDotProductAttention`.

    Raises `InputError` as `ScaledDotProductAttention` does, for neighbors or a block_size below
    1, and when query and key have different lengths.

    >>> import numpy as np
    >>> attention = LocalAttention(2, causal=True)
    >>> query = np.zeros((5, 8))
    >>> key = np.zeros((5, 8))
    >>> attention.forward(query, key, np.array([[0.0], [3], [6], [9], [12]])).tolist()
    [[0.0], [1.5], [3.0], [6.0], [9.0]]
    """

    def __init__(
        self,
        neighbors: int,
        *,
        causal: bool = False,
        block_size: int | None = None,
        dropout: float = 0.0,
        rng: Rng = None,
    ):
        check_sizes(neighbors=neighbors)
        if block_size is None:
            block_size = max(neighbors, MIN_BLOCK_SIZE)
        check_sizes(block_size=block_size)
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        self.after = 0 if causal else neighbors // 2
        self.before = neighbors - self.after
        self.block_size = block_size
        self.width = self.before + self.block_size + self.after

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., T, d_k), (..., T, d_v)
        check_attention(self, query, key, value, mask)
        length = query.shape[-2]
        n_earlier = key.shape[-2] - length
        if n_earlier > 0 and self.causal and not self.training:
            # a few new positions: full attention, in which a mask hides the keys too far before
            near = xp.triu(xp.ones((length, key.shape[-2]), bool), n_earlier - self.before)
            mask = near if mask is None else near & mask  # (..., T, S)
            return super().forward(query, key, value, mask)

        check_same_length(self, query, key)
        mask = self._window_mask(length, mask)  # (..., n, b, width)
        query = self._blocks(query)  # (..., n, b, d_k)
        key = self._windows(key)  # (..., n, width, d_k)
        value = self._windows(value)  # (..., n, width, d_v)

        scores = query @ key.swapaxes(-1, -2)  # (..., n, b, width)
        scores *= 1 / math.sqrt(query.shape[-1])
        weights = self.dropout.forward(self.softmax.forward(scores, mask))  # (..., n, b, width)
        y = self._join_blocks(weights @ value, length)  # (..., T, d_v)
        return self.remember(y, query, key, value, weights, length)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, weights, length = self.recall(dy)
        dy = self._blocks(dy)  # (..., n, b, d_v)
        dvalue = weights.swapaxes(-1, -2) @ dy  # (..., n, width, d_v)
        dweights = dy @ value.swapaxes(-1, -2)  # (..., n, b, width)
        dscores = self.softmax.backward(self.dropout.backward(dweights))  # (..., n, b, width)
        dscores *= 1 / math.sqrt(query.shape[-1])
        dkey = dscores.swapaxes(-1, -2) @ query  # (..., n, width, d_k)
        dquery = dscores @ key  # (..., n, b, d_k)

        dquery = self._join_blocks(dquery, length)  # (..., T, d_k)
        dkey = self._sum_windows(dkey, length)  # (..., T, d_k)
        dvalue = self._sum_windows(dvalue, length)  # (..., T, d_v)
        return dquery, dkey, dvalue

    def _window_mask(self, length: int, mask):
        n = -(-length // self.block_size)  # rounded up
        query = xp.arange(n * self.block_size)  # positions
        query = query.reshape(n, self.block_size, 1)  # (n, b, 1)
        first = query[:, :1] - self.before  # (n, 1, 1)
        key = first + xp.arange(self.width)  # (n, 1, width), some outside of 0 .. T - 1

        near = (query - self.before <= key) & (key <= query + self.after)  # (n, b, width)
        near = near & (key >= 0) & (key < length)
        if mask is None:
            return near

        # positions outside of the sequence read any entry of the mask: `near` hides them
        query = query.clip(0, length - 1)
        key = key.clip(0, length - 1)
        mask = xp.broadcast_to(mask, (*mask.shape[:-2], length, length))  # a view
        return near & mask[..., query, key]  # (..., n, b, width)

    def _blocks(self, x):  # (..., T, d)
        padded = self._pad(x, 0, 0)  # (..., n * b, d)
        n = padded.shape[-2] // self.block_size  # not -1, which an empty batch leaves open
        return padded.reshape(*x.shape[:-2], n, self.block_size, x.shape[-1])  # (..., n, b, d)

    def _join_blocks(self, x, length: int):  # (..., n, b, d)
        *leading, n, block_size, d = x.shape
        joined = x.reshape(*leading, n * block_size, d)  # (..., n * b, d)
        return joined[..., :length, :]  # (..., T, d)

    def _windows(self, x):  # (..., T, d)
        padded = self._pad(x, self.before, self.after)
        # by indices, because overlapping windows cannot be a reshape
        first = xp.arange(0, padded.shape[-2] - self.width + 1, self.block_size)[:, None]  # (n, 1)
        return padded[..., first + xp.arange(self.width), :]  # (..., n, width, d)

    def _sum_windows(self, dx, length: int):  # (..., n, width, d)
        *leading, n, width, d = dx.shape
        padded_length = (n - 1) * self.block_size + width
        total = xp.zeros((*leading, padded_length, d), dx.dtype)  # (..., padded_length, d)
        # windows overlap, so the gradients of a position are summed
        for i in range(n):
            start = i * self.block_size
            total[..., start : start + width, :] += dx[..., i, :, :]
        return total[..., self.before : self.before + length, :]  # (..., T, d)

    def _pad(self, x, before: int, after: int):  # (..., T, d)
        after += -x.shape[-2] % self.block_size  # up to a multiple of b
        return xp.pad(x, [(0, 0)] * (x.ndim - 2) + [(before, after), (0, 0)])
