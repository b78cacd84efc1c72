"""Keeping freed memory for the next step."""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8  # names of malloc.h
LARGEST_BLOCK, NEVER = 1 << 30, -1  # to trim: any number would be a number of bytes, 2 GiB at most


def keep_freed_memory() -> bool:
    """Ask the C library to keep what is freed; return whether it could be asked.

    A step of training or decoding frees its large arrays and makes others of their sizes a moment later. By default
    glibc gives each back to the system, which then has to find and clear every page again: up to a quarter of a step.
    The highest use of memory stays the same. All threads draw on one store, for the stores of single threads are given
    back all the same. Elsewhere than on glibc nothing is done.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    settings = {M_MMAP_THRESHOLD: LARGEST_BLOCK, M_TRIM_THRESHOLD: NEVER, M_ARENA_MAX: 1}
    return all([mallopt(name, value) for name, value in settings.items()])
