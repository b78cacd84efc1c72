"""The best few of many scores."""

from ..backend import xp

GROUP = 8


def top_k(scores, k: int):
    """Return the k largest of each row of scores (N, M), best first, and where they stand: (N, k), (N, k).

    Columns are dealt into groups of 8. The k largest entries lie in the k groups of the largest maxima, or in groups
    of equal maxima, so that only those are looked into; which groups these are is the same question over again.

    >>> import numpy as np
    >>> largest, where = top_k(np.array([[0.1, 0.9, 0.4], [0.5, 0.3, 0.7]]), 2)
    >>> largest.tolist(), where.tolist()
    ([[0.9, 0.4], [0.7, 0.5]], [[1, 2], [2, 0]])
    """
    n_rows, size = scores.shape
    n_groups = size // GROUP
    if n_groups <= 2 * k:
        order = xp.argsort(-scores, axis=1, kind="stable")[:, :k]  # (N, k)
        return xp.take_along_axis(scores, order, 1), order
    grouped = n_groups * GROUP
    maxima = scores[:, :grouped].reshape(n_rows, GROUP, n_groups).max(1)  # (N, n_groups)
    _, best_groups = top_k(maxima, k)  # (N, k)
    members = xp.arange(0, grouped, n_groups)[:, None] + best_groups[:, None]  # (N, GROUP, k)
    rest = xp.broadcast_to(xp.arange(grouped, size), (n_rows, size - grouped))
    candidates = xp.concatenate([members.reshape(n_rows, -1), rest], 1)  # (N, GROUP * k + rest)
    largest, where = top_k(xp.take_along_axis(scores, candidates, 1), k)
    return largest, xp.take_along_axis(candidates, where, 1)
