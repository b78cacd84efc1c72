"""How many threads the matrix products run on."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache

from .cpu import n_cores
from .errors import import_optional

NARROW = 128


@cache
def controller():
    """Return what can limit the threads of the libraries that are loaded; to look them up takes milliseconds."""
    return import_optional("threadpoolctl", "npformer").ThreadpoolController()


def blas_threads(most: int | None) -> AbstractContextManager:
    """Return a context in which matrix products run on so many threads at most, or for None on as many as before.

    It is never more than before: what the user said, as in OPENBLAS_NUM_THREADS, stays.
    """
    if most is None:
        return nullcontext()
    more = [library.filepath for library in controller().lib_controllers if (library.num_threads or 1) > most]
    return controller().select(filepath=more).limit(limits=most, user_api="blas")


def threads_for(d_model: int) -> AbstractContextManager:
    """Return a context in which the products of a narrow model run on one thread, and those of others on all cores.

    The products of a model with d_model up to 128 are so small that threads gain little, and they wait for each other
    many times over as soon as anything else runs on the machine. A container may leave us less time than it has cores.
    """
    return blas_threads(1 if d_model <= NARROW else n_cores())


def no_more_blas_threads(most: int) -> None:
    """From now on matrix products run on no more threads than this."""
    blas_threads(most)
