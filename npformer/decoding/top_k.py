"""The best few of many scores."""

from ..backend import xp


def top_k(scores, k: int):
    """Return the k largest of each row of scores (N, M), best first, and their columns: (N, k), (N, k).

    >>> import numpy as np
    >>> largest, columns = top_k(np.array([[0.1, 0.9, 0.4], [0.5, 0.3, 0.7]]), 2)
    >>> largest.tolist(), columns.tolist()
    ([[0.9, 0.4], [0.7, 0.5]], [[1, 2], [2, 0]])
    """
    columns = xp.argpartition(-scores, min(k, scores.shape[1] - 1), axis=1)[:, :k]  # (N, k), in any order
    columns = xp.take_along_axis(columns, xp.argsort(-xp.take_along_axis(scores, columns, 1), axis=1), 1)
    return xp.take_along_axis(scores, columns, 1), columns
