"""Attention over long sequences, tile by tile: the FlashAttention of Dao et al. 2022."""

import math
from collections.abc import Iterator

import numpy as np

from ...backend import dropout_mask, xp
from ...utils import Rng
from ..attention import ScaledDotProductAttention
from ..hyperparameter_checks import check_sizes
from ..row_and_column_sums import row_max, row_sum
from ..validation import check_attention


class FlashAttention(ScaledDotProductAttention):
    """The attention of paper equation 1 in memory that grows with T and not with T^2.

    The scores are computed in tiles of b queries and b keys. The softmax needs the largest score
    and the sum of a whole row. Both are kept for the keys so far, and the sums are rescaled
    whenever a larger score comes. Without dropout:

        largest' = max(largest, max_j s_j)
        total' = e^(largest - largest') total + sum_j e^(s_j - largest')
        numerator' = e^(largest - largest') numerator + sum_j e^(s_j - largest') v_j
        y = numerator / total, after the last tile

    Dao et al. 2022, algorithms 1 and 4. backward computes each tile of the weights again, from the
    scores and the log of each row's total. Dropout draws a seed for each tile, so that backward has
    the same masks. See `head` in npformer/slow_formulas.py for the same result, to rounding, with
    scalar loops. Shapes and mask are those of `ScaledDotProductAttention`.

    Arguments:
        block_size: b, the number of queries and of keys of a tile.
        causal, dropout, rng: As in `ScaledDotProductAttention`.

    Raises `InputError` as `ScaledDotProductAttention` does, and for a block_size below 1.

    >>> query = np.ones((2, 500, 8))
    >>> key = np.ones((2, 700, 8))
    >>> value = np.ones((2, 700, 3))
    >>> FlashAttention().forward(query, key, value).shape
    (2, 500, 3)
    """

    def __init__(
        self, *, block_size: int = 128, causal: bool = False, dropout: float = 0.0, rng: Rng = None
    ):
        check_sizes(block_size=block_size)
        super().__init__(causal=causal, dropout=dropout, rng=rng)
        self.block_size = block_size

    def forward(self, query, key, value, mask=None):  # (..., T, d_k), (..., S, d_k), (..., S, d_v)
        check_attention(self, query, key, value, mask)
        seed = None
        if self.dropout.training and self.dropout.p > 0:
            seed = int(self.dropout.rng.integers(2**63))
        y = xp.zeros((*query.shape[:-1], value.shape[-1]), value.dtype)  # (..., T, d_v)
        log_total = xp.zeros((*query.shape[:-1], 1), query.dtype)  # (..., T, 1)

        for rows, tiles in self._tiles(query.shape[-2], key.shape[-2]):
            largest = float(xp.finfo(query.dtype).min)  # not -inf: -inf - (-inf) is NaN
            total = 0.0
            numerator = 0.0
            for columns in tiles:
                scores = self._scores(query, key, mask, rows, columns)  # (..., b, b)
                new_largest = xp.maximum(largest, row_max(scores))  # (..., b, 1)
                weights = xp.exp(scores - new_largest)  # (..., b, b)
                dropped = self._drop(weights, seed, rows, columns)  # (..., b, b)

                factor = xp.exp(largest - new_largest)  # (..., b, 1)
                total = factor * total + row_sum(weights)  # (..., b, 1)
                numerator = factor * numerator + dropped @ value[..., columns, :]  # (..., b, d_v)
                largest = new_largest

            total = xp.where(total == 0, 1, total)  # a fully masked row is divided by 1
            y[..., rows, :] = numerator / total
            log_total[..., rows, :] = largest + xp.log(total)
        return self.remember(y, query, key, value, mask, y, log_total, seed)

    def backward(self, dy):  # (..., T, d_v)
        query, key, value, mask, y, log_total, seed = self.recall(dy)
        dquery = xp.zeros_like(query)  # (..., T, d_k)
        dkey = xp.zeros_like(key)  # (..., S, d_k)
        dvalue = xp.zeros_like(value)  # (..., S, d_v)

        # The softmax's backward needs sum_j dw_j w_j of a whole row. With y = sum_j w_j v_j and
        # dw_j = dy . v_j that is sum_j (dy . v_j) w_j = dy . y, also with dropout, which is both
        # in y and in dw
        dy_dot_y = row_sum(dy * y)  # (..., T, 1)
        scale = 1 / math.sqrt(query.shape[-1])
        for rows, tiles in self._tiles(query.shape[-2], key.shape[-2]):
            for columns in tiles:
                scores = self._scores(query, key, mask, rows, columns)  # (..., b, b)
                weights = xp.exp(scores - log_total[..., rows, :])  # (..., b, b)
                dropped = self._drop(weights, seed, rows, columns)  # (..., b, b)
                dvalue[..., columns, :] += dropped.swapaxes(-1, -2) @ dy[..., rows, :]

                dweights = dy[..., rows, :] @ value[..., columns, :].swapaxes(-1, -2)  # (..., b, b)
                dweights = self._drop(dweights, seed, rows, columns)
                dscores = weights * (dweights - dy_dot_y[..., rows, :]) * scale  # (..., b, b)
                dkey[..., columns, :] += dscores.swapaxes(-1, -2) @ query[..., rows, :]
                dquery[..., rows, :] += dscores @ key[..., columns, :]
        return dquery, dkey, dvalue

    def _tiles(self, n_queries: int, n_keys: int) -> Iterator[tuple[slice, list[slice]]]:
        for rows in self._slices(n_queries):
            # with causal, tiles whose keys are all in the future are skipped
            end = n_keys - n_queries + rows.stop if self.causal else n_keys
            yield rows, self._slices(end)

    def _slices(self, length: int) -> list[slice]:
        starts = range(0, length, self.block_size)
        return [slice(start, min(start + self.block_size, length)) for start in starts]

    def _scores(self, query, key, mask, rows: slice, columns: slice):
        scale = 1 / math.sqrt(query.shape[-1])
        scores = query[..., rows, :] @ key[..., columns, :].swapaxes(-1, -2)  # (..., b, b)
        scores = scores * scale
        if mask is not None:
            mask = xp.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))  # a view
            scores = xp.where(mask[..., rows, columns], scores, -xp.inf)
        if self.causal:
            first = key.shape[-2] - query.shape[-2]  # the position of the first query
            last_visible = first + xp.arange(rows.start, rows.stop)[:, None]  # (b, 1)
            position = xp.arange(columns.start, columns.stop)  # (b,), of the keys
            scores = xp.where(position <= last_visible, scores, -xp.inf)
        return scores

    def _drop(self, x, seed: int | None, rows: slice, columns: slice):  # (..., b, b)
        if seed is None:
            return x
        # a generator per tile: backward may visit them in any order and draws the same
        rng = np.random.default_rng([seed, rows.start, columns.start])
        kept = dropout_mask(rng, x.shape, self.dropout.p)  # (..., b, b)
        return x * kept * (1 / (1 - self.dropout.p))
