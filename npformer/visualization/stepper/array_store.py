"""The arrays of a recording: each content is stored once."""

import hashlib
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ...backend import to_host
from ...utils import InputError


class Content(NamedTuple):
    """The content of an array.

    Arguments:
        block: Its numbers in the order of its memory.
        shape: Its shape.
        strides: Its strides, in numbers.
        checksum: A checksum of the numbers.
    """

    block: np.ndarray
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    checksum: bytes

    @property
    def key(self) -> tuple:
        """What equal contents have in common, without the numbers themselves."""
        return self.shape, self.strides, self.checksum


def content_of(array: Any) -> Content:
    """Return the content of an array; a transposed or reshaped array has the same block.

    >>> x = np.arange(6.0).reshape(2, 3)
    >>> content_of(x).checksum == content_of(x.T).checksum, content_of(x.T).strides
    (True, (1, 3))
    """
    array = np.asarray(to_host(array))
    # in the order of its memory, so that x and its transpose are stored once
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    if not array.transpose(order).flags.c_contiguous:
        array = np.ascontiguousarray(array)
        order = list(range(array.ndim))
    block = array.transpose(order).reshape(-1)
    strides = tuple(stride // array.itemsize for stride in array.strides)
    digest = hashlib.blake2b(block.tobytes(), digest_size=16).digest()
    # the same bytes of another type are other numbers
    return Content(block, array.shape, strides, digest + block.dtype.str.encode())


class ArrayStore:
    """Arrays by number.

    `blocks` are the numbers of arrays, and `views` the arrays: block, shape and strides. Raises
    `InputError` when they need more than `max_bytes`.
    """

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self.n_bytes = 0
        self.blocks: list[np.ndarray] = []
        self.views: list[tuple] = []
        self._checksums: list[bytes] = []  # of the blocks
        self._block_numbers: dict[bytes, int] = {}  # by checksum
        self._view_numbers: dict[tuple, int] = {}

    def add(self, content: Content) -> int:
        """Store a copy of an array, unless an equal one is stored; return its number."""
        if content.checksum not in self._block_numbers:
            self.n_bytes += content.block.nbytes
            self.check_size(self.n_bytes, "arrays so far")
            self._block_numbers[content.checksum] = len(self.blocks)
            self.blocks.append(content.block.copy())
            self._checksums.append(content.checksum)
        view = (self._block_numbers[content.checksum], content.shape, content.strides)
        if view not in self._view_numbers:
            self._view_numbers[view] = len(self.views)
            self.views.append(view)
        return self._view_numbers[view]

    def copy(self) -> "ArrayStore":
        """Return a store of the same arrays, to which others can be added."""
        other = ArrayStore(self.max_bytes)
        other.n_bytes = self.n_bytes
        other.blocks = self.blocks.copy()
        other.views = self.views.copy()
        other._checksums = self._checksums.copy()
        other._block_numbers = self._block_numbers.copy()
        other._view_numbers = self._view_numbers.copy()
        return other

    def key(self, number: int) -> tuple:
        """Return what arrays with the same numbers in the same order have in common.

        >>> store = ArrayStore(max_bytes=100)
        >>> x = store.add(content_of(np.arange(4.0)))
        >>> y = store.add(content_of(np.arange(4)))
        >>> store.key(x) == store.key(x), store.key(x) == store.key(y)
        (True, False)
        """
        block, shape, strides = self.views[number]
        return shape, strides, self._checksums[block]

    def check_size(self, n_bytes: int, what: str) -> None:
        """Raise `InputError` when this is more than there may be."""
        if n_bytes > self.max_bytes:
            raise InputError(
                f"this update is too large to step through ({n_bytes / 1e6:,.0f} MB of {what}, "
                f"at most {self.max_bytes / 1e6:,.0f} MB): record one part, such as "
                'only="decoder.layers.1", or take a smaller model or batch'
            )

    def __getitem__(self, number: int) -> np.ndarray:
        block_number, shape, strides = self.views[number]
        block = self.blocks[block_number]
        byte_strides = [stride * block.itemsize for stride in strides]
        return as_strided(block, shape, byte_strides, writeable=False)
