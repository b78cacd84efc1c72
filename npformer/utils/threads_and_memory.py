"""The cores of this process, the threads of its matrix products, and the memory that it keeps."""

import ctypes
import os
import platform
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import cache

ONE_THREAD = {  # the environment of a process whose products use one thread
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
MALLOC_SETTINGS = {  # numbers of glibc's malloc.h, and values
    -3: 1 << 30,  # M_MMAP_THRESHOLD: larger arrays alone are given back
    -1: -1,  # M_TRIM_THRESHOLD: never
    -8: 1,  # M_ARENA_MAX: one store for all threads, because a thread's own store is given back
}
NARROW = 128  # up to this d_model products are too small to gain from threads


def n_cores() -> int:
    """Return how many cores this process may use, 1 at least."""
    # under taskset or in a container these may be fewer than the machine has
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def blas_threads(n: int) -> AbstractContextManager:
    """Let matrix products use n threads at most, never more than the user set.

    The limit holds from now on, or inside a with block. Without the library threadpoolctl, when
    NumPy alone is installed, there is none.
    """
    controller = _controller()
    if controller is None:
        return nullcontext()
    with_more = []
    for library in controller.lib_controllers:
        if (library.num_threads or 1) > n:
            with_more.append(library.filepath)
    return controller.select(filepath=with_more).limit(limits=n, user_api="blas")


def threads_for(d_model: float) -> AbstractContextManager:
    """Return a context in which a narrow model uses one thread, and others use all cores.

    Threads of small products wait for each other many times over as soon as anything else runs on
    the machine.
    """
    return blas_threads(1 if d_model <= NARROW else n_cores())


def model_width(parameters: Iterable) -> int:
    """Return the largest of the smaller sides of all matrices: a Transformer's d_model."""
    widths = [min(p.data.shape) for p in parameters if p.data.ndim == 2]
    return max(widths, default=1)


@cache
def _controller():
    """Return the controller of the libraries that are loaded, or None without threadpoolctl.

    Finding the libraries takes milliseconds.
    """
    try:
        from threadpoolctl import ThreadpoolController
    except ImportError:
        return None
    return ThreadpoolController()


def keep_freed_memory() -> bool:
    """Ask the C library to keep what is freed; return whether it could be asked. Only glibc can.

    A step frees its large arrays and makes others of their sizes a moment later. By default glibc
    gives each back to the system, which has to find and clear every page again: up to a quarter of
    a step. The highest use of memory stays the same.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    # a list, so that every setting is made, also after one that was refused
    return all([ctypes.CDLL(None).mallopt(name, value) for name, value in MALLOC_SETTINGS.items()])
