"""Memory that several processes see, and forking those that are to see it."""

import ctypes
import mmap
import os
import threading
import warnings
import weakref
from contextlib import suppress

import numpy as np

BLOCKS: weakref.WeakSet = weakref.WeakSet()  # all such memory of this process
MAP_FIXED, PROT_NONE = 0x10, 0  # as mman.h of Linux has them


class Here(threading.local):
    """What a thread is about to fork: a child of ours, or else what is in the shared memory meanwhile."""

    def __init__(self):
        self.forks = False
        self.kept: dict[mmap.mmap, bytes] = {}


HERE = Here()


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
    return isinstance(array, mmap.mmap) and array in BLOCKS


def fork_sharing() -> int:
    """Fork; the child, to which 0 is returned, shares what is shared."""
    HERE.forks = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: see workers/processes.py
            return os.fork()
    finally:
        HERE.forks = False


def keep() -> None:
    """Before a fork of somebody else's: keep what is in memory, which this process may change at once.

    It costs such a fork the time, and until it is done the memory, of a copy of all that is shared; the child keeps it.
    """
    HERE.kept = {}
    if not HERE.forks:
        with suppress(MemoryError):  # what could not be kept the child cannot read
            for memory in list(BLOCKS):
                HERE.kept[memory] = memory[:]


def forget() -> None:
    """After the fork: what was kept is the child's alone."""
    HERE.kept = {}


def part() -> None:
    """In somebody else's child: put memory of its own in the same place, as a fork usually does.

    Else a child that trains, or loads other weights, would do so in its parent as well.
    """
    if HERE.forks:
        return
    try:
        for memory in list(BLOCKS):
            replace(memory, HERE.kept.pop(memory, None))
        BLOCKS.clear()
    except BaseException:  # of which Python would only print a line, and let the child go on sharing
        os._exit(1)


def replace(memory: mmap.mmap, content: bytes | None) -> None:
    """Put memory of this process alone in a place, with this content, or for None such as cannot be read."""
    get = ctypes.CDLL(None, use_errno=True).mmap
    get.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    get.restype = ctypes.c_void_p
    place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    access = PROT_NONE if content is None else mmap.PROT_READ | mmap.PROT_WRITE
    if get(place, len(memory), access, MAP_FIXED | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0) != place:
        raise OSError(ctypes.get_errno(), "no memory in the place of what was shared")
    if content is not None:
        memory[:] = content


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=keep, after_in_parent=forget, after_in_child=part)
