"""Ranks that are threads of this process: what mpi4py's communicator does, as far as `Ranks` asks for it."""

import threading
from types import SimpleNamespace

import numpy as np

from npformer.training.ranks import Ranks

MPI = SimpleNamespace(IN_PLACE=object())
PATIENCE = 5  # seconds; a rank that does not come is a test that fails, not one that hangs


class FakeComm:
    def __init__(self, rank, size, barrier, desk):
        self.rank, self.size, self.barrier, self.desk = rank, size, barrier, desk

    def all_arrays(self, mine):
        """What each rank has laid on the desk, copied before the next one lays something there."""
        self.barrier.wait(PATIENCE)
        self.desk[self.rank] = np.array(mine)
        self.barrier.wait(PATIENCE)
        found = [self.desk[rank] for rank in range(self.size)]
        self.barrier.wait(PATIENCE)
        return found

    def Allgather(self, mine, out):
        out[...] = np.concatenate(self.all_arrays(mine))

    def Allgatherv(self, mine, out):
        array, sizes = out
        parts = self.all_arrays(mine)
        assert [part.size for part in parts] == sizes.tolist()
        array[...] = np.concatenate(parts)

    def Bcast(self, array):
        array[...] = self.all_arrays(array)[0]

    def Allreduce(self, in_place, array):
        assert in_place is MPI.IN_PLACE
        first, *others = self.all_arrays(array)
        for other in others:
            first = first + other
        array[...] = first


def in_ranks(n, work):
    """Return what `work(ranks)` returned, or raised, in each of n ranks."""
    barrier, desk, found = threading.Barrier(n), {}, [None] * n

    def one(rank):
        try:
            found[rank] = work(Ranks(FakeComm(rank, n, barrier, desk), MPI))
        except Exception as error:
            found[rank] = error

    threads = [threading.Thread(target=one, args=(rank,)) for rank in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def all_well(n, work):
    """Return what `work(ranks)` returned in each of n ranks, none of which raised anything."""
    found = in_ranks(n, work)
    for value in found:
        if isinstance(value, Exception) and not isinstance(value, threading.BrokenBarrierError):
            raise value
    return found
