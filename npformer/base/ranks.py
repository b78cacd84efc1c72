"""The processes that train one model together, its ranks: what one tells the others.

A method that says "all ranks" has to be called by all of them, in the same order; one that calls it alone waits for
ever. What they tell each other are arrays, and small things as JSON.
"""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice

import numpy as np

from .backend import default_workers
from .errors import InputError
from .last_words import until_read
from .machine import cores, n_cores

PATIENCE = 3.0  # seconds that a rank leaves to the first one to tell of an error which all of them met
FACTS = 3  # what a rank adds to its gradient: loss, tokens, signal
SLOT = FACTS * 8  # as the bytes of so many float64s, each of them a number


class Alone:
    """The only process of a run; what ranks do together it does by itself.

    >>> Alone().n, Alone().gathered("a"), Alone().shared(sorted, [3, 1])
    (1, ['a'], [1, 3])
    """

    rank, n = 0, 1
    room = 0  # numbers that an array has to have behind the gradient, for `add_up`
    name = "the only process"
    first = True  # whether this is the rank that writes files and speaks
    processes = ""  # which process each rank is

    def __init__(self):
        self.listening = int  # says which signal came to this rank

    def default_workers(self) -> int:
        """Return how many workers can compute side by side in this rank, when all ranks do so."""
        return default_workers()

    def n_cores(self) -> int:
        """Return how many cores' time there is for this rank, when all ranks compute."""
        return n_cores()

    def add_up(self, gradient, loss: float, n_tokens: int, of_all: int) -> float:
        """Sum a gradient, in place, and the loss over all ranks; n_tokens, of which there are `of_all`, are counted."""
        return loss

    def listen(self, came: Callable[[], int]) -> None:
        """From now on `came` says which signal came to this rank, 0 for none."""
        self.listening = came

    def heard(self) -> int:
        """Return the number of a signal that came to any rank before the last `add_up`, the same on all ranks."""
        return self.listening()

    def gathered(self, value) -> list:
        """Return what each of all ranks gave, in their order."""
        return [value]

    def from_first(self, value):
        """Return on all ranks what the first one gave."""
        return value

    def fill(self, array) -> None:
        """Bring the first rank's array into those of all ranks."""

    def shared(self, work: Callable[[Iterable], list], items: Iterable) -> list:
        """Deal items out to all ranks, have `work` make a list of results of its own, return all in the items' order.

        Results are what JSON can hold.
        """
        parts = self.gathered(list(work(islice(items, self.rank, None, self.n))))
        return [parts[i % self.n][i // self.n] for i in range(sum(map(len, parts)))]

    def after_first(self, work: Callable):
        """Return what `work` makes, done first by the first rank and then by the others of all, on a common disk."""
        made = work() if self.first else None
        self.from_first(None)
        return made if self.first else work()

    def check_alike(self, facts: Callable[[], dict]) -> None:
        """Raise `InputError` on all ranks, which names one and the fact, when not all have the first one's facts."""

    def end_all(self, status: int, message: str = "", details: str = "") -> None:
        """End all ranks at once, for this one cannot go on. It alone may call this."""


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
