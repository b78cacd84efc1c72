"""What the processes that train one model together, its ranks, say to each other; and what one does that is alone.

A method that says "all ranks" has to be called by all of them, in the same order; one that calls it alone waits for
ever. What they tell each other are arrays, and small things as JSON.
"""

from collections.abc import Callable, Iterable
from itertools import islice

from ..backend import default_workers
from ..utils.cpu import n_cores


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
