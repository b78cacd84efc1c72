"""Restricted self-attention: paper section 4, table 1's last row."""

import math

import numpy as np

from ...backend import xp
from ...utils import InputError
from ..attention import ScaledDotProductAttention
from ..validation import check_mask, check_sizes
from .local_windows import Blocks

SMALLEST_BLOCK = 16  # of smaller ones the products are too small to be fast


class LocalAttention(ScaledDotProductAttention):
    """Attention in which each position sees r neighbours and itself, not all: time and memory grow with T, not T^2.

        y_t = sum_s softmax_s(q_t k_s / sqrt(d_k)) v_s,   t - before <= s <= t + after

    The paper's "neighborhood of size r centered around the respective output position" (section 4): r = `neighbours` =
    before + after. after is r // 2, and before is the rest, so that of an odd r one more is on the left. With `causal`
    all r stand before t. The result is that of full attention with this band as its mask, to rounding.

    The queries of a `block` of positions look at the keys of the block's window (`Blocks`) by one matrix product, and
    the softmax hides what lies in the window and not in the neighbourhood. No array is (T, T). Larger blocks are fewer
    products and more to hide; the default is r, and at least 16. The result does not depend on it.

    Shapes: query and key (..., T, d_k), value (..., T, d_v), result (..., T, d_v). `mask` is boolean, True = may
    attend, and broadcasts against (..., T, T): of a padding mask (..., 1, T) no more is made, of another the band is
    read. `dropout` acts on the weights.

    Raises `InputError` when neighbours or block is below 1, when the shapes do not fit together, query and key are not
    of one length, or the mask is not boolean or does not fit.

    >>> attention = LocalAttention(2, causal=True)
    >>> query = key = np.zeros((5, 8))
    >>> attention.forward(query, key, np.array([[0.0], [3], [6], [9], [12]])).tolist()
    [[0.0], [1.5], [3.0], [6.0], [9.0]]
    """

    def __init__(
        self,
        neighbours: int,
        *,
        causal: bool = False,
        dropout: float = 0.0,
        block: int | None = None,
        rng: np.random.Generator | int | None = None,
    ):
        check_sizes(neighbours=neighbours, block=SMALLEST_BLOCK if block is None else block)
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        self.after = 0 if causal else neighbours // 2
        self.before = neighbours - self.after
        self.block = block or max(neighbours, SMALLEST_BLOCK)

    @property
    def label(self) -> str:
        return f"LocalAttention({self.before} before, {self.after} after)"

    def forward(self, query, key, value, mask=None):
        self.check_shapes(query, key, value)
        blocks = self.blocks(query.shape[-2])
        scores = blocks.split(query) @ blocks.windows(key).swapaxes(-1, -2)  # (..., n, size, width)
        scores *= 1 / math.sqrt(query.shape[-1])
        seen = self.seen(blocks, mask, (*query.shape[:-1], query.shape[-2]))  # (..., T, width)
        weights = self.dropout.forward(self.softmax.forward(blocks.join(scores), seen))  # (..., T, width)
        y = blocks.join(blocks.split(weights) @ blocks.windows(value))  # (..., T, d_v)
        return self.remember(y, query, key, value, weights)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, weights = self.recall(dy)
        blocks = self.blocks(dy.shape[-2])
        dy = blocks.split(dy)  # (..., n, size, d_v)
        dvalue = blocks.sum_windows(blocks.split(weights).swapaxes(-1, -2) @ dy)  # (..., T, d_v)
        dweights = blocks.join(dy @ blocks.windows(value).swapaxes(-1, -2))  # (..., T, width)
        dscores = self.softmax.backward(self.dropout.backward(dweights))  # (..., T, width)
        dscores *= 1 / math.sqrt(query.shape[-1])
        dscores = blocks.split(dscores)  # (..., n, size, width)
        dkey = blocks.sum_windows(dscores.swapaxes(-1, -2) @ blocks.split(query))  # (..., T, d_k)
        dquery = blocks.join(dscores @ blocks.windows(key))  # (..., T, d_k)
        return dquery, dkey, dvalue

    def blocks(self, length: int) -> Blocks:
        """Return how a sequence of this length is cut."""
        return Blocks.of(length, self.before, self.after, self.block)

    def seen(self, blocks: Blocks, mask, shape: tuple[int, ...]):
        """Return what each position sees of its window, (..., T, width): the neighbourhood, and there the mask."""
        query, key = blocks.positions()  # (T, 1), (T, width)
        seen = (query - self.before <= key) & (key <= query + self.after) & (key >= 0) & (key < blocks.length)
        if mask is None:
            return seen
        check_mask(self, mask, shape)
        mask = xp.broadcast_to(xp.atleast_2d(mask), (*mask.shape[:-2], *shape[-2:]))  # a view: nothing is made
        return seen & mask[..., query, key.clip(0, blocks.length - 1)]

    def check_shapes(self, query, key, value) -> None:
        """Raise `InputError` unless query and key are (..., T, d_k) and value is (..., T, d_v)."""
        super().check_shapes(query, key, value)
        if query.shape != key.shape:
            came = f"{self.label} got query {query.shape} and key {key.shape}"
            raise InputError(f"{came}: expected the same length T, for neighbours are counted in one sequence")
