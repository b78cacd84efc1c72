"""The arrays of a recording: each content is stored once."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...backend import to_host
from ...utils import InputError


class View(NamedTuple):
    """An array on a block of numbers: `strides` counts entries."""

    block: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


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
    block = array.transpose(order)
    if not block.flags.c_contiguous:
        order, block = range(array.ndim), np.ascontiguousarray(array)
    strides = dict(zip(order, (int(np.prod(block.shape[i + 1 :])) for i in range(block.ndim)), strict=False))
    checksum = hashlib.blake2b(block.tobytes(), digest_size=16).digest() + str(block.dtype).encode()
    return Content(block.reshape(-1), array.shape, tuple(strides[axis] for axis in range(array.ndim)), checksum)


class ArrayStore:
    """Arrays by number. Raises `InputError` when they need more than `max_bytes`."""

    def __init__(self, max_bytes: int):
        self.max_bytes, self.n_bytes = max_bytes, 0
        self.blocks: list[np.ndarray] = []
        self.views: list[View] = []
        self._numbers: dict = {}  # of blocks by checksum, and of views

    def add(self, content: Content) -> int:
        """Store a copy of an array, unless an equal one is stored; return its number."""
        block = self._numbers.get(content.checksum)
        if block is None:
            self.n_bytes += content.block.nbytes
            if self.n_bytes > self.max_bytes:
                raise too_large(f"more than {self.max_bytes / 1e6:.0f} MB of arrays so far")
            block = self._numbers[content.checksum] = len(self.blocks)
            self.blocks.append(content.block.copy())
            self.blocks[-1].flags.writeable = False
        view = View(block, content.shape, content.strides)
        if view not in self._numbers:
            self._numbers[view] = len(self.views)
            self.views.append(view)
        return self._numbers[view]

    def __len__(self) -> int:
        return len(self.views)

    def __getitem__(self, number: int) -> np.ndarray:
        block, shape, strides = self.views[number]
        block = self.blocks[block]
        return as_strided(block, shape, [stride * block.itemsize for stride in strides], writeable=False)


def too_large(what: str) -> InputError:
    """Return the error for a model that is too large to be recorded."""
    advice = 'record one part with only="decoder.layers.1", or a smaller model or batch'
    return InputError(f"this update is too large to step through ({what}): {advice}")
