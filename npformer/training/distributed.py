"""Several processes, the ranks of MPI, that train one model together."""

import os
import sys
import time
from functools import cache
from typing import Any

from ..backend import Array, check_numpy
from ..utils import InputError, blas_threads, import_optional, n_cores

__all__ = ["Communicator", "MPICommunicator", "get_communicator"]

# the variables in which MPICH's, Open MPI's and Slurm's launchers say how many ranks they started
SIZE_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
ABORT_DELAY_SECONDS = 3.0  # in which rank 0 reports an error that all ranks met
READ_SECONDS = 0.3  # in which mpiexec reads the message; it drops the rest when it aborts


class Communicator:
    """The collective operations of MPI, here for a single process.

    All ranks must call each of them in the same order.

    >>> alone = Communicator()
    >>> alone.rank, alone.size, alone.bcast("a"), alone.allgather("a")
    (0, 1, 'a', ['a'])
    """

    rank = 0
    size = 1

    def allreduce(self, array: Array) -> None:
        """Sum an array over all ranks, in place."""

    def bcast(self, value: Any) -> Any:
        """Return the value of rank 0 on all ranks."""
        return value

    def allgather(self, value: Any) -> list:
        """Return the values of all ranks, in their order."""
        return [value]

    def barrier(self) -> None:
        """Wait for all ranks."""

    def abort(self, status: int, message: str = "") -> None:
        """End all ranks at once, after a message on standard error. One rank alone may call it."""
        if message:
            print(message, file=sys.stderr)
        sys.exit(status)


class MPICommunicator(Communicator):
    """The ranks that a launcher of MPI started, by mpi4py.

    An exception that nobody catches on one rank ends all of them, because the others would wait
    for it forever.
    """

    def __init__(self, mpi: Any):
        self._mpi = mpi
        self._world = mpi.COMM_WORLD
        self.rank = self._world.rank
        self.size = self._world.size

        ranks_on_this_machine = self._world.Split_type(mpi.COMM_TYPE_SHARED).size
        # the ranks of one machine share its cores
        blas_threads(max(n_cores() // ranks_on_this_machine, 1))
        sys.excepthook = self._abort_on_exception

    def allreduce(self, array: Array) -> None:
        """Sum in one Allreduce."""
        self._world.Allreduce(self._mpi.IN_PLACE, array)

    def bcast(self, value: Any) -> Any:
        """Return the value of rank 0."""
        return self._world.bcast(value)

    def allgather(self, value: Any) -> list:
        """Return the values of all ranks."""
        return self._world.allgather(value)

    def barrier(self) -> None:
        """Wait for all ranks."""
        self._world.Barrier()

    def abort(self, status: int, message: str = "") -> None:
        """End all ranks; rank 0 first reports an error that all of them met."""
        if self.rank != 0:
            time.sleep(ABORT_DELAY_SECONDS)
        if message:
            text = f"npformer: rank {self.rank} of {self.size}: {message}"
            print(text, file=sys.stderr, flush=True)
        # Abort ends the process without flushing
        sys.stdout.flush()
        time.sleep(READ_SECONDS)
        self._world.Abort(status)

    def _abort_on_exception(self, kind, error, trace) -> None:
        sys.__excepthook__(kind, error, trace)
        status = 130 if issubclass(kind, KeyboardInterrupt) else 1
        self.abort(status)


def get_communicator() -> Communicator:
    """Return the ranks that a launcher such as mpiexec started, or that of a single process.

    Raises `MissingExtraError` without mpi4py, and `InputError` when it finds no MPI library or
    another than the launcher's, and on a GPU.
    """
    for name in SIZE_VARIABLES:
        size = os.environ.get(name, "")
        if size.isdecimal() and int(size) > 1:
            return _mpi_communicator(int(size))
    return Communicator()


@cache
def _mpi_communicator(size: int) -> MPICommunicator:
    check_numpy(f"training with {size} ranks")
    import_optional("mpi4py", "npformer[mpi]")
    try:
        # this import starts MPI, and needs its library
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise InputError(
            f"mpi4py finds no MPI library ({reason}): install one, as with  pip install mpich"
        ) from None
    if MPI.COMM_WORLD.size != size:
        raise InputError(
            f"the launcher started {size} ranks, but mpi4py's MPI has {MPI.COMM_WORLD.size}: "
            "use the mpiexec of that MPI"
        )
    return MPICommunicator(MPI)
