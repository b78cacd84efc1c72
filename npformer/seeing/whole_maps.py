"""Maps of attention over all positions, also where a layer keeps only its windows, or no weights at all."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from ..base import to_host
from ..layers import BlockwiseAttention, RestrictedAttention, ScaledDotProductAttention
from ..module import Module


@contextmanager
def with_weights(model: Module) -> Iterator[None]:
    """Inside a with block, let attention by blocks go the plain way, so that there are weights to look at.

    >>> layer = BlockwiseAttention(block=2)
    >>> with with_weights(layer):
    ...     y = layer.forward(np.ones((4, 2)), np.ones((4, 2)), np.eye(4))
    >>> layer.softmax.backward(y).shape, layer.plain_below
    ((4, 4), 0)
    """
    found = [layer for _, layer in model.named_modules() if isinstance(layer, BlockwiseAttention)]
    before = [layer.plain_below for layer in found]
    try:
        for layer in found:
            layer.plain_below = sys.maxsize
        yield
    finally:
        for layer, length in zip(found, before, strict=True):
            layer.plain_below = length


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
