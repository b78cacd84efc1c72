"""Maps of attention over all positions, also where a layer keeps only its windows, or no weights at all."""

import sys
from contextlib import AbstractContextManager

import numpy as np

from ..backend import to_host
from ..layers import LocalAttention, ScaledDotProductAttention
from ..layers.extra.plain_way import blockwise_in, going_plain
from ..module import Module


def with_weights(model: Module) -> AbstractContextManager:
    """Inside a with block, let attention by blocks go the plain way, so that there are weights to look at.

    >>> from npformer.layers import FlashAttention
    >>> layer = FlashAttention(block=2)
    >>> with with_weights(layer):
    ...     y = layer.forward(np.ones((4, 2)), np.ones((4, 2)), np.eye(4))
    >>> layer.softmax.backward(y).shape, layer.plain_below
    ((4, 4), 0)
    """
    found = blockwise_in(model)
    return going_plain(found, [sys.maxsize] * len(found))


def whole_map(attention: ScaledDotProductAttention, windows: np.ndarray) -> np.ndarray:
    """Return what an attention's softmax took or gave as (..., T, S), zero or False where nothing was looked at.

    Of a `LocalAttention` that is (..., T, width), and is laid out here; of another it is returned as it is.

    >>> attention = LocalAttention(1, block=1)
    >>> whole_map(attention, np.array([[5, 1], [2, 3], [4, 6]])).tolist()
    [[1, 0, 0], [2, 3, 0], [0, 4, 6]]
    """
    if not isinstance(attention, LocalAttention):
        return windows
    blocks = attention.blocks(windows.shape[-2])
    query, key = map(to_host, blocks.positions())  # (T, 1), (T, width)
    ends = blocks.n * blocks.size + blocks.after
    room = np.zeros((*windows.shape[:-1], blocks.before + ends), windows.dtype)
    room[..., query, blocks.before + key] = windows
    return room[..., blocks.before : blocks.before + blocks.length]
