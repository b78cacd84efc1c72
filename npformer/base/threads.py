"""How many threads the matrix products run on."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from .errors import require

NARROW = 128


@cache
def controller():
    """Return what can limit the threads of the libraries that are loaded; to look them up takes milliseconds."""
    return require("threadpoolctl", "npformer").ThreadpoolController()


def blas_threads(limit: int | None) -> AbstractContextManager:
    """Return a context in which matrix products run on so many threads, or for None on as many as before."""
    return nullcontext() if limit is None else controller().limit(limits=limit, user_api="blas")


def threads_for(d_model: int) -> AbstractContextManager:
    """Return a context in which the products of a narrow model run on one thread, and those of others as before.

    The products of a model with d_model up to 128 are so small that threads gain little, and they wait for each other
    many times over as soon as anything else runs on the machine.
    """
    return blas_threads(1 if d_model <= NARROW else None)


def no_more_blas_threads(most: int) -> None:
    """From now on matrix products run on no more threads than this."""
    if any(library["num_threads"] > most for library in controller().info() if library["user_api"] == "blas"):
        controller().limit(limits=most, user_api="blas")
