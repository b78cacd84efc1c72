"""The scores of next tokens, and the best of them: what all ways of decoding need."""

import numpy as np

from ..backend import Array, to_host, xp
from ..utils import InputError

__all__ = ["check_scores", "forbid_padding", "top_k", "top_k_by_blocks"]

_BLOCK_COLUMNS = 100  # of scores; close to the fastest for V from 8,000 to 37,000


def forbid_padding(scores: Array, pad_id: int) -> None:  # (..., V)
    """Give padding, in place, a score below that of all tokens, so that it is never chosen."""
    scores[..., pad_id] = -np.inf


def check_scores(scores: Array) -> None:
    """Raise `InputError` unless the scores of tokens that are chosen are finite numbers.

    Only weights that have diverged give others. The scores of tokens that are not chosen may be
    -inf.
    """
    if not np.isfinite(to_host(scores)).all():
        raise InputError(
            "the model's scores are not numbers: its weights have diverged, lower the learning rate"
        )


def top_k(scores: Array, k: int) -> tuple[Array, Array]:
    """Return the k largest of each row of scores (N, M), best first, and their columns.

    Both are (N, k), or (N, M) where M is smaller than k.

    >>> largest, columns = top_k(np.array([[0.1, 0.9, 0.4], [0.5, 0.3, 0.7]]), 2)
    >>> largest.tolist(), columns.tolist()
    ([[0.9, 0.4], [0.7, 0.5]], [[1, 2], [2, 0]])
    """
    # a partition is faster than sorting whole rows, but leaves the k largest in any order
    # argpartition takes no index after the last column
    last = min(k, scores.shape[1] - 1)
    columns = xp.argpartition(-scores, last, axis=1)[:, :k]  # (N, k)
    largest = xp.take_along_axis(scores, columns, 1)
    order = xp.argsort(-largest, axis=1)
    columns = xp.take_along_axis(columns, order, 1)
    return xp.take_along_axis(scores, columns, 1), columns


def top_k_by_blocks(scores: Array, k: int) -> tuple[Array, Array]:
    """Return what `top_k` returns, faster for long rows; which of equal scores may differ.

    The k best of a row are in the k blocks of columns with the highest maxima, or in the columns
    that are left over after the last whole block. Only these are searched.
    """
    n_rows, n_columns = scores.shape
    n_blocks = n_columns // _BLOCK_COLUMNS
    if n_blocks <= k:
        return top_k(scores, k)

    n_in_blocks = n_blocks * _BLOCK_COLUMNS
    blocks = scores[:, :n_in_blocks].reshape(n_rows, n_blocks, _BLOCK_COLUMNS)
    _, best_blocks = top_k(blocks.max(-1), k)  # (N, k)

    starts = best_blocks[..., None] * _BLOCK_COLUMNS  # (N, k, 1)
    in_blocks = (starts + xp.arange(_BLOCK_COLUMNS)).reshape(n_rows, -1)  # (N, k * 100)
    left_over = xp.arange(n_in_blocks, n_columns)
    left_over = xp.broadcast_to(left_over, (n_rows, len(left_over)))
    columns = xp.concatenate([in_blocks, left_over], 1)

    largest, places = top_k(xp.take_along_axis(scores, columns, 1), k)  # (N, k)
    return largest, xp.take_along_axis(columns, places, 1)
