"""Attention over a long text, by blocks: the FlashAttention of Dao et al. 2022."""

import math

import numpy as np

from ...backend import dropout_mask, xp
from ..attention import ScaledDotProductAttention
from ..reductions import row_max, row_sum
from ..validation import check_mask, check_sizes
from .tiles import Tile, Tiles

BLOCK = 256  # tests/benchmarks/long_attention.py --blocks: of 64 .. 1,024 the fastest


class FlashAttention(ScaledDotProductAttention):
    """The attention of paper equation 1, exactly, in memory that grows with T and not with T^2.

    A block of queries meets the keys block by block (`Tiles`). The softmax needs the largest score and the sum of a
    whole row; here both are of the keys so far, and what has been summed is rescaled whenever a larger score comes:

        peak' = max(peak, max_j s_j),   total' = e^(peak - peak') total + sum_j e^(s_j - peak'),   likewise the values

    Dao et al. 2022, algorithm 1 (the softmax is that of Milakov and Gimelshein 2018). Of the weights nothing is kept:
    backward makes each tile of them anew, from the scores and the log of each row's total. Dropout on the weights
    draws from a seed a tile, so that backward has the same masks again.

    Shapes, mask, `causal`, `dropout` and errors are those of `ScaledDotProductAttention`, and so is the result, to
    rounding. A padding mask (..., 1, S) costs nothing that grows with T S either. `block` is how many queries, and
    keys, a tile has. Fewer queries than `plain_below` go the plain way, which is faster for short texts.

    >>> query, key, value = np.ones((2, 500, 8)), np.ones((2, 700, 8)), np.ones((2, 700, 3))
    >>> FlashAttention().forward(query, key, value).shape
    (2, 500, 3)
    """

    def __init__(
        self,
        *,
        causal: bool = False,
        dropout: float = 0.0,
        block: int = BLOCK,
        plain_below: int = 0,
        rng: np.random.Generator | int | None = None,
    ):
        check_sizes(block=block)
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        self.block, self.plain_below = block, plain_below

    @np.errstate(invalid="ignore")  # which OpenBLAS says of a block of one row now and then: see rows.row_dot
    def forward(self, query, key, value, mask=None):
        self.check_shapes(query, key, value)
        if query.shape[-2] < self.plain_below:
            return super().forward(query, key, value, mask)
        tiles = self.tiles((*query.shape[:-1], key.shape[-2]), mask)
        leading, seed = query.shape[:-1], self.draw_seed()
        n = math.prod(leading[:-1])
        query, key, value = (x.reshape(n, *x.shape[-2:]) for x in (query, key, value))  # (N, T, d_k), (N, S, ...)
        query = query * (1 / math.sqrt(query.shape[-1]))  # once, and not each tile of the scores
        y = xp.empty((*query.shape[:-1], value.shape[-1]), value.dtype)  # (N, T, d_v)
        log_total = xp.empty((*query.shape[:-1], 1), query.dtype)  # (N, T, 1)
        lowest = xp.finfo(query.dtype).min  # not -inf: rows without any True stay free of NaN

        for rows, row in tiles:
            peak = xp.full((*query[rows].shape[:-1], 1), lowest, query.dtype)  # (n, b, 1)
            total, mixed = xp.zeros_like(peak), xp.zeros_like(y[rows])  # (n, b, 1), (n, b, d_v)
            for tile in row:
                scores = scores_of(tile, query[rows], key[tile.keys])  # (n, b, b)
                before, peak = peak, xp.maximum(peak, row_max(scores))
                scores -= peak
                weights = xp.exp(scores, out=scores)
                shrink = xp.exp(before - peak)  # what was summed under an earlier peak
                total = shrink * total + row_sum(weights)
                mixed = shrink * mixed + self.drop(weights, tile, seed) @ value[tile.keys]
            total += total == 0  # a row without any True divides by 1
            y[rows] = mixed / total
            log_total[rows] = peak + xp.log(total)

        values = tiles, query, key, value, y, log_total, seed
        return self.remember(y.reshape(*leading, y.shape[-1]), *values)  # (..., T, d_v)

    @np.errstate(invalid="ignore")
    def backward(self, dy):  # (..., T, d_v)
        if self.went_the_plain_way:
            return super().backward(dy)
        tiles, query, key, value, y, log_total, seed = self.recall(dy)
        leading, dy = dy.shape[:-2], dy.reshape(y.shape)
        dquery, dkey, dvalue = xp.zeros_like(query), xp.zeros_like(key), xp.zeros_like(value)

        # The softmax's backward needs sum_j dw_j w_j of a whole row. With y = sum_j w_j v_j and dw_j = dy . v_j that is
        #   sum_j (dy . v_j) w_j = dy . y,   with dropout too, which stands both in y and in dw
        for rows, row in tiles:
            along_y = row_sum(dy[rows] * y[rows])  # (n, b, 1)
            for tile in row:
                scores = scores_of(tile, query[rows], key[tile.keys])  # (n, b, b)
                scores -= log_total[rows]
                weights = xp.exp(scores, out=scores)
                dvalue[tile.keys] += self.drop(weights, tile, seed).swapaxes(-1, -2) @ dy[rows]  # (n, b, d_v)
                dweights = self.drop(dy[rows] @ value[tile.keys].swapaxes(-1, -2), tile, seed)  # (n, b, b)
                dweights -= along_y
                dscores = xp.multiply(weights, dweights, out=weights)
                dkey[tile.keys] += dscores.swapaxes(-1, -2) @ query[rows]  # (n, b, d_k)
                dquery[rows] += dscores @ key[tile.keys]  # (n, b, d_k)

        dquery *= 1 / math.sqrt(query.shape[-1])  # that in dkey came with the query
        return tuple(dx.reshape(*leading, *dx.shape[-2:]) for dx in (dquery, dkey, dvalue))

    @property
    def went_the_plain_way(self) -> bool:
        """Whether it is the plain forward that has left something for backward."""
        return self._cache is not None and not isinstance(self._cache[1][0], Tiles)

    def tiles(self, shape: tuple[int, ...], mask) -> Tiles:
        """Return how scores of this shape are cut."""
        if mask is not None:
            check_mask(self, mask, shape)
        return Tiles(shape, mask, causal=self.causal, block=self.block)

    def draw_seed(self) -> int | None:
        """Draw what a whole forward's dropout on the weights follows from; None where there is none."""
        drop_out = self.dropout.training and self.dropout.p > 0
        return int(self.dropout.rng.integers(2**63)) if drop_out else None

    def drop(self, x, tile: Tile, seed: int | None):  # (n, T, S)
        """Do to the weights of a tile, or to their gradient, what dropout does: the same for the same seed."""
        if seed is None:
            return x
        x = x * dropout_mask(np.random.default_rng([seed, tile.number]), x.shape, self.dropout.p)
        x *= 1 / (1 - self.dropout.p)
        return x


def scores_of(tile: Tile, query, key):  # (n, T, d_k), (n, S, d_k)
    """Return the scores of a tile, (n, T, S), -inf where they are hidden."""
    scores = query @ key.swapaxes(-1, -2)
    if tile.hidden is not None:
        xp.copyto(scores, xp.asarray(-xp.inf, scores.dtype), where=tile.hidden)
    return scores
