"""Keeping freed memory for the next step."""

import ctypes
import platform

SETTINGS = {  # numbers of glibc's malloc.h, and values
    -3: 1 << 30,  # M_MMAP_THRESHOLD: larger arrays alone are given back
    -1: -1,  # M_TRIM_THRESHOLD: never
    -8: 1,  # M_ARENA_MAX: one store for all threads, because those of single threads are given back all the same
}


def keep_freed_memory() -> bool:
    """Ask the C library to keep what is freed; return whether it could be asked. Only glibc can.

    A step frees its large arrays and makes others of their sizes a moment later. By default glibc gives each back to
    the system, which has to find and clear every page again: up to a quarter of a step. The highest use of memory
    stays the same.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    return all([ctypes.CDLL(None).mallopt(name, value) for name, value in SETTINGS.items()])
