"""The cores that this process may use, and how many threads matrix products use."""

import os
from contextlib import AbstractContextManager
from functools import cache

from .errors import import_optional

ONE_THREAD = dict.fromkeys(  # the environment of a process whose products use one thread
    ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
NARROW = 128  # up to this d_model products are too small to gain from threads


def n_cores() -> int:
    """Return how many cores this process may use, 1 at least."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def blas_threads(n: int) -> AbstractContextManager:
    """Let matrix products use n threads at most, never more than the user set: from now on, or in a with block."""
    controller = _controller()
    more = [library.filepath for library in controller.lib_controllers if (library.num_threads or 1) > n]
    return controller.select(filepath=more).limit(limits=n, user_api="blas")


def threads_for(d_model: float) -> AbstractContextManager:
    """Return a context in which the products of a narrow model use one thread, and those of others all cores.

    Threads of small products wait for each other many times over as soon as anything else runs on the machine.
    """
    return blas_threads(1 if d_model <= NARROW else n_cores())


@cache
def _controller():
    """Return the controller of the libraries that are loaded; finding them takes milliseconds."""
    return import_optional("threadpoolctl", "npformer").ThreadpoolController()
