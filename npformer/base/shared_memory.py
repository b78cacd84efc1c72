"""Memory that several processes see, and forking those that are to see it."""

import ctypes
import mmap
import os
import threading
import warnings
import weakref

import numpy as np

BLOCKS: weakref.WeakSet = weakref.WeakSet()  # all such memory of this process
KEPT: list[tuple[mmap.mmap, bytes]] = []  # what was in them when somebody else forked
HERE = threading.local()
MAP_FIXED = 0x10  # as mman.h of Linux has it


def shared(array: np.ndarray) -> np.ndarray:
    """Return an array that this process and those which it forks from now on all see: a copy, or one that is such.

    >>> array = shared(np.arange(3))
    >>> array.tolist(), shared(array) is array
    ([0, 1, 2], True)
    """
    if is_shared(array):
        return array
    try:
        memory = mmap.mmap(-1, max(array.nbytes, 1))
    except OSError as error:
        raise MemoryError(f"no {array.nbytes} bytes can be shared: {error}") from None
    BLOCKS.add(memory)
    copy = np.ndarray(array.shape, array.dtype, buffer=memory)
    copy[...] = array
    return copy


def is_shared(array: np.ndarray) -> bool:
    """Tell whether an array, or what it is a view of, lies in such memory."""
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, mmap.mmap)


def fork_sharing() -> int:
    """Fork; the child, to which 0 is returned, shares what is shared."""
    HERE.forks = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: see training/workers/processes.py
            return os.fork()
    finally:
        HERE.forks = False


def keep() -> None:
    """Before a fork of somebody else's: keep what is in memory, which this process may change at once."""
    if not getattr(HERE, "forks", False):
        KEPT.extend((memory, memory[:]) for memory in list(BLOCKS))


def part() -> None:
    """In somebody else's child: put memory of its own in the same place, as a fork usually does.

    Else a child that trains, or loads other weights, would do so in its parent as well.
    """
    for memory, content in KEPT:
        get = ctypes.CDLL(None).mmap
        get.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
        get.restype = ctypes.c_void_p
        place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        kind = MAP_FIXED | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        get(place, len(memory), mmap.PROT_READ | mmap.PROT_WRITE, kind, -1, 0)
        memory[:] = content
    KEPT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=keep, after_in_parent=KEPT.clear, after_in_child=part)
