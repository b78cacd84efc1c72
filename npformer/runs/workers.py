"""How many workers share an update, where nobody says: found by trying some."""

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..base import Alone, InputError, OthersWatched, cores, threads_for
from ..models import ColumnConfig
from ..models.cost import costs_of
from .prepare import make_trainer
from .settings import TrainingSettings

SHARE = 0.95  # of the time that an update took: more workers, which need memory and cores, are to do with less
TURNS, SECONDS = 2, 0.15  # updates that are timed with each number: so many at least, and for so long


@dataclass(frozen=True)
class Tried:
    """The seconds of an update with each number of workers that was tried, and how many cores others kept busy then.

    >>> print(Tried({1: 0.048, 2: 0.031, 4: 0.0305}, n_busy=0.1, n_cores=4))
    2: 31.0 ms an update; with 1 48.0 ms, with 4 30.5 ms
    >>> print(Tried({1: 0.048, 2: 0.047}, n_busy=1.0, n_cores=2))
    1: 48.0 ms an update; with 2 47.0 ms. Other programs kept 1.0 of 2 cores busy meanwhile
    >>> print(Tried({1: 0.048, 2: math.inf}, n_busy=0.0, n_cores=2))
    1: 48.0 ms an update; with 2 none: so many cannot be had here
    """

    seconds: dict[int, float]
    n_busy: float
    n_cores: int

    @property
    def best(self) -> int:
        """The number to train with: the fastest, but the smaller one of two that differ little."""
        best = 1
        for n, seconds in self.seconds.items():
            if seconds < SHARE * self.seconds[best]:
                best = n
        return best

    def __str__(self):
        times = {n: f"{1000 * seconds:,.1f} ms" for n, seconds in self.seconds.items()}
        times |= {n: "none: so many cannot be had here" for n, seconds in self.seconds.items() if seconds == math.inf}
        others = ", ".join(f"with {n} {time}" for n, time in times.items() if n != self.best)
        told = f"{self.best}: {times[self.best]} an update; {others}"
        if self.n_busy > self.n_cores - max(times) + 0.5:
            told += f". Other programs kept {self.n_busy:.1f} of {self.n_cores} cores busy meanwhile"
        return told


def with_workers(
    settings: TrainingSettings, config: ColumnConfig, batches, *, ranks: Alone
) -> tuple[TrainingSettings, Tried | None]:
    """Return the settings with a number of workers, and what was tried to find it, if anything was.

    Updates of a batch as costly as most are timed, with trainers of their own: the run's weights and random streams
    have no part in it. The ranks of a run try together, and all take the first one's number.
    """
    if settings.workers:
        return settings, None
    cut = batches.epoch(1)
    costs = costs_of(config, cut)
    batch = next(cut.batches(sorted(range(len(costs)), key=costs.__getitem__)[len(costs) // 2]))
    most = len(batch.shares(ranks.from_first(ranks.default_workers()) * ranks.n)) // ranks.n
    if most < 2:
        return replace(settings, workers=1), None
    n_busy = {}

    def seconds_of(n: int) -> float:
        others = OthersWatched()
        try:
            seconds = seconds_an_update(replace(settings, workers=n), config, batches, batch, ranks)
        except (InputError, MemoryError, ChildProcessError):
            if n == 1 or ranks.n > 1:
                raise
            seconds = math.inf  # so many cannot be had
        n_busy[n] = others.n_busy() if ranks.n == 1 else 0.0  # for other ranks are no others
        return seconds

    tried = Tried(climbed(seconds_of, most), n_busy[1], len(cores()))
    return replace(settings, workers=tried.best), tried


def climbed(seconds_of: Callable[[int], float], most: int) -> dict[int, float]:
    """Return the seconds of an update with 1, 2, 4, ... workers and with `most`, as far as more are faster than fewer.

    Four are tried even where two are slower than one, for one alone has all cores for a wide model's products; none
    beyond a number that cannot be had, which takes `math.inf` seconds.

    >>> climbed(lambda n: {1: 9.0, 2: 6.0, 4: 4.0, 8: 4.5}[n], most=64)
    {1: 9.0, 2: 6.0, 4: 4.0, 8: 4.5}
    """
    found, n, before = {}, 1, 0
    while n > before:
        found[n] = seconds_of(n)
        if found[n] == math.inf or (n > 2 and found[n] > SHARE * found[before]):
            break
        n, before = min(2 * n, most), n
    return found


def seconds_an_update(settings: TrainingSettings, config: ColumnConfig, batches, batch, ranks: Alone) -> float:
    """Return the seconds of an update of a fresh model, the median of a few after a first one."""
    trainer, times = make_trainer(settings, config, batches, ranks=ranks), []
    trainer.optimizer.learning_rate = 0.0  # the same batch over and over could not be learnt from without harm
    with threads_for(config.d_model):
        trainer.update([batch] * settings.accumulate)
        while ranks.from_first(len(times) < TURNS or sum(times) < SECONDS):
            start = time.perf_counter()
            trainer.update([batch] * settings.accumulate)
            times.append(time.perf_counter() - start)
    return ranks.from_first(statistics.median(times))
