"""Maps of restricted attention, which keeps what the windows show alone, over all positions."""

import numpy as np

from ..base import to_host
from ..layers import RestrictedAttention, ScaledDotProductAttention


def whole_map(attention: ScaledDotProductAttention, windows: np.ndarray) -> np.ndarray:
    """Return what an attention's softmax took or gave as (..., T, S), zero or False where nothing was looked at.

    Of a `RestrictedAttention` that is (..., T, width), and is laid out here; of another it is returned as it is.

    >>> attention = RestrictedAttention(1, block=1)
    >>> whole_map(attention, np.array([[5, 1], [2, 3], [4, 6]])).tolist()
    [[1, 0, 0], [2, 3, 0], [0, 4, 6]]
    """
    if not isinstance(attention, RestrictedAttention):
        return windows
    blocks = attention.blocks(windows.shape[-2])
    query, key = map(to_host, blocks.positions())  # (T, 1), (T, width)
    ends = blocks.n * blocks.size + blocks.after
    room = np.zeros((*windows.shape[:-1], blocks.before + ends), windows.dtype)
    room[..., query, blocks.before + key] = windows
    return room[..., blocks.before : blocks.before + blocks.length]
