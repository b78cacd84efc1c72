"""One of several processes that train one model together, by MPI: see `Alone` for what each of its methods is for."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable

import numpy as np

from ..backend import default_workers
from ..utils.cpu import cores, n_cores
from ..utils.errors import InputError
from .alone import Alone
from .last_words import until_read

PATIENCE = 3.0  # seconds that a rank leaves to the first one to tell of an error which all of them met
FACTS = 3  # what a rank adds to its gradient: loss, tokens, signal
SLOT = FACTS * 8  # as the bytes of so many float64s, each of them a number


def name_of(rank: int, n: int) -> str:
    """Return what one of n ranks is called."""
    return f"rank {rank} of {n} on {platform.node()}"


class Ranks(Alone):
    """One of several ranks; `comm` is a communicator of mpi4py, which is `mpi`."""

    def __init__(self, comm, mpi):
        super().__init__()
        self.comm, self.mpi = comm, mpi
        self.rank, self.n = comm.rank, comm.size
        self.first = self.rank == 0
        self.room = self.n * SLOT
        self.name = name_of(self.rank, self.n)
        self.signal = 0
        self.seconds = 0.0  # spent in add_up, waiting for slower ranks included
        self.cores = self.share_of_cores()
        every = self.gathered(f"{os.getpid()} on {platform.node()}")
        self.processes = ", ".join(f"{rank} is process {process}" for rank, process in enumerate(every))

    def share_of_cores(self) -> int:
        """Return how many cores there are for each of the ranks on this machine, 1 at least."""
        machines = self.gathered([platform.node(), sorted(cores())])
        here = [set(usable) for machine, usable in machines if machine == platform.node()]
        return max(len(set().union(*here)) // len(here), 1)

    def default_workers(self) -> int:
        """Return how many of the cores that this rank has for itself shall compute."""
        return min(self.cores, default_workers())

    def n_cores(self) -> int:
        """Return how many cores this rank has for itself."""
        return min(self.cores, n_cores())

    def add_up(self, gradient, loss: float, n_tokens: int, of_all: int) -> float:
        """Sum in one Allreduce, which the others' signals come with; `gradient` has `room` more numbers behind it.

        Each rank has a slot there, in which the others leave zeros. A sum of float32s would round the loss; the bytes
        of a float64, each of them a number that stands alone, stay as they are.

        Raises `InputError` when the ranks are not at the same update.
        """
        room = gradient[-self.room :].reshape(self.n, SLOT)
        room[...] = 0
        facts = np.array([loss, n_tokens, self.listening()], np.float64)
        room[self.rank] = facts.view(np.uint8)
        start = time.perf_counter()
        self.comm.Allreduce(self.mpi.IN_PLACE, gradient)
        self.seconds += time.perf_counter() - start
        losses, counted, signals = room.astype(np.uint8).view(np.float64).T.tolist()
        self.signal = int(max(signals))
        if sum(counted) != of_all:
            parts = ", ".join(f"{n:.0f}" for n in counted)
            raise InputError(f"the ranks are at different updates: of {of_all} tokens they counted {parts}")
        return sum(losses[1:], start=losses[0])

    def heard(self) -> int:
        """Return what the last `add_up` brought."""
        return self.signal

    def gathered(self, value) -> list:
        """Send all to all, as JSON."""
        mine = np.frombuffer(json.dumps(value).encode(), np.uint8)
        sizes = np.empty(self.n, np.int64)
        self.comm.Allgather(np.array([mine.size]), sizes)
        every = np.empty(sizes.sum(), np.uint8)
        self.comm.Allgatherv(mine, [every, sizes])
        return [json.loads(part.tobytes()) for part in np.split(every, np.cumsum(sizes)[:-1])]

    def from_first(self, value):
        """Send what the first rank has to all."""
        return self.gathered(value if self.first else None)[0]

    def fill(self, array) -> None:
        """Send the first rank's array to all."""
        self.comm.Bcast(array)

    def check_alike(self, facts: Callable[[], dict]) -> None:
        """Compare with what all others have."""
        names, found = zip(*self.gathered([self.name, facts()]), strict=True)
        expected = found[0]
        for rank, came in zip(names, found, strict=True):
            for fact in expected | came:
                if fact not in came:
                    differs = f"{rank} has no {fact}, and rank 0 has {expected[fact]}"
                elif fact not in expected or came[fact] != expected[fact]:
                    differs = f"{rank} has {fact} = {came[fact]}, and rank 0 has {expected.get(fact, 'none')}"
                else:
                    continue
                raise InputError(f"{differs}: bring the same files, settings and npformer to every rank")

    def end_all(self, status: int, message: str = "", details: str = "") -> None:
        """Say why, naming this rank, and abort; the first rank does so at once, the others leave it the time for it."""
        if not self.first:
            time.sleep(PATIENCE)  # an error that all ranks meet is told by the first one, which ends us meanwhile
        if message:
            print(f"{details}npformer: {self.name}: {message}", file=sys.__stderr__)
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                continue
        for handle in (1, 2):
            until_read(handle)  # MPICH's mpiexec throws away what it has not read when it is told to abort
        os.close(2)  # MPICH would add a line of its own
        self.comm.Abort(status)
        os._exit(status)

    def end_all_on_errors(self) -> None:
        """Have an exception that nobody catches in this rank end all ranks, which would wait for it for ever."""
        import traceback  # which no process needs that is alone

        usual = sys.excepthook

        def end(kind, error, trace):
            if issubclass(kind, KeyboardInterrupt):
                self.end_all(130)
            if issubclass(kind, self.mpi.Exception):
                time.sleep(PATIENCE)  # another rank has gone in the middle of it: its end is told of meanwhile
            details = "".join(traceback.format_exception(kind, error, trace))
            self.end_all(1, " ".join(f"{kind.__name__}: {error}".split()), details)
            usual(kind, error, trace)

        sys.excepthook = end
