"""A team of threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait

from ..base import InputError
from ..base.memory import give_back_freed_memory

USE_ONE = "ask for workers = 1, or set OMP_NUM_THREADS=1"


class Threads:
    """The thread that asks and n - 1 more, which see all that it sees.

    Raises `InputError` where there can be none, as in a browser.

    >>> Threads(2).each(pow, [(2, 3), (3, 2), (2, 5)])
    [8, 9, 32]
    """

    def __init__(self, n: int):
        self.n = n
        self.threads = started_threads(n - 1) if n > 1 else None

    def join(self, *methods: Callable) -> None:
        """Any function will do."""

    def renew(self) -> None:
        """All see what is new; what was freed on the way to it is given back."""
        give_back_freed_memory()

    def visible(self, array):
        """Return the array, which all see."""
        return array

    def close(self) -> None:
        """Let the threads go."""
        if self.threads:
            self.threads.shutdown()

    def each(self, work: Callable, items: Sequence[tuple]) -> list:
        """Return work(*item) of each item, worked out side by side: every thread takes each n-th of them."""

        def share(i: int) -> list:
            return [work(*item) for item in items[i :: self.n]]

        others = [self.threads.submit(share, i) for i in range(1, self.n)]
        try:
            found = [share(0)]
        finally:
            wait(others)  # none may still be at work when the next update begins
        found += [other.result() for other in others]
        return [found[i % self.n][i // self.n] for i in range(len(items))]


def started_threads(n: int) -> ThreadPoolExecutor:
    """Return n threads. Raises `InputError` where there can be none."""
    threads = ThreadPoolExecutor(n, "npformer-worker")
    try:
        for _ in range(n):
            threads.submit(int)
    except RuntimeError as error:
        raise InputError(f"no {n} more threads can be had here ({error}): {USE_ONE}") from None
    return threads
