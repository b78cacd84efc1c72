"""The arrays of a recording: each content is stored once."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...backend import to_host
from ...utils import InputError


class Content(NamedTuple):
    """The numbers of an array in the order of its memory, its form, and a checksum of the numbers."""

    block: np.ndarray
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    checksum: bytes


def content_of(array) -> Content:
    """Return the content of an array; a transposed or reshaped array has the same block as the original.

    >>> x = np.arange(6.0).reshape(2, 3)
    >>> content_of(x).checksum == content_of(x.T).checksum, content_of(x.T).strides
    (True, (1, 3))
    """
    array = np.asarray(to_host(array))
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    if not array.transpose(order).flags.c_contiguous:
        order, array = range(array.ndim), np.ascontiguousarray(array)
    block = array.transpose(order).reshape(-1)
    strides = tuple(stride // array.itemsize for stride in array.strides)
    checksum = hashlib.blake2b(block.tobytes(), digest_size=16).digest() + block.dtype.str.encode()
    return Content(block, array.shape, strides, checksum)


class ArrayStore:
    """Arrays by number: `views` are block, shape and strides. Raises `InputError` when they need above `max_bytes`."""

    def __init__(self, max_bytes: int):
        self.max_bytes, self.n_bytes = max_bytes, 0
        self.blocks: list[np.ndarray] = []
        self.views: list[tuple] = []
        self._numbers: dict = {}  # of blocks by checksum, and of views

    def add(self, content: Content) -> int:
        """Store a copy of an array, unless an equal one is stored; return its number."""
        if content.checksum not in self._numbers:
            self.n_bytes += content.block.nbytes
            self.check_size(self.n_bytes, "arrays so far")
            self._numbers[content.checksum] = len(self.blocks)
            self.blocks.append(content.block.copy())
        view = self._numbers[content.checksum], content.shape, content.strides
        if view not in self._numbers:
            self._numbers[view] = len(self.views)
            self.views.append(view)
        return self._numbers[view]

    def check_size(self, n_bytes: int, what: str) -> None:
        """Raise `InputError` when this is more than there may be."""
        if n_bytes > self.max_bytes:
            size = f"{n_bytes / 1e6:,.0f} MB of {what}, at most {self.max_bytes / 1e6:,.0f} MB"
            advice = (
                'record one part, such as only="decoder.layers.1", or take a smaller model or batch'
            )
            raise InputError(f"this update is too large to step through ({size}): {advice}")

    def __getitem__(self, number: int) -> np.ndarray:
        block, shape, strides = self.views[number]
        block = self.blocks[block]
        return as_strided(
            block, shape, [stride * block.itemsize for stride in strides], writeable=False
        )
