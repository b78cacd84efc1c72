"""The first column of table 1: multiply-adds counted, and seconds of forward and backward."""

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ...backend import check_numpy
from ...utils import InputError, blas_threads
from .layer_kinds import KINDS, Kind, Size, n_dilations

CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time  # Windows counts the latter in 16 ms
TURN_SECONDS = 0.005  # shorter work is repeated within a turn
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
WIDTHS = (32, 64, 128, 256, 512)


class Cost(NamedTuple):
    """The cost of a layer's forward and backward: multiply-adds of its matrix products, and seconds."""

    kind: str
    n: int
    d: int
    multiply_adds: int
    seconds: float


def multiply_adds(kind: Kind, size: Size) -> int:
    """Return the multiply-adds of forward and backward, which makes two products per product of forward."""
    return 3 * kind.products(size)


def costs(
    lengths: Sequence[int] = LENGTHS,
    widths: Sequence[int] = WIDTHS,
    *,
    k: int = 3,
    r: int = 32,
    batch: int = 1,
    budget: float = 0.4,
    kinds: Sequence[Kind] = KINDS,
) -> Iterator[Cost]:
    """Return an iterator over the `Cost` of every layer kind at every n and d, in float32 and on one thread.

    The kinds take turns, so that a change of the machine's speed meets all of them; each gets 3 to 51 turns, about
    `budget` seconds, after a warm-up. The seconds are the median. The clock counts only while this thread computes.

    Raises `InputError` for a size below 1, a k that is even or below 3, fewer than two lengths or widths, or another
    backend than NumPy.
    """
    lengths, widths = sorted({*lengths}), sorted({*widths})
    if min(len(lengths), len(widths)) < 2:
        raise InputError(
            f"{len(lengths)} lengths and {len(widths)} widths: expected at least two of each to fit exponents"
        )
    check_numpy("table 1")
    return _measure([Size(n, d, k, r, batch).checked() for n in lengths for d in widths], kinds, budget)


def _measure(sizes: list[Size], kinds: Sequence[Kind], budget: float) -> Iterator[Cost]:
    for size in sizes:
        with blas_threads(1):
            seconds = take_turns([_step(kind, size) for kind in kinds], budget)
        for kind, median in zip(kinds, seconds, strict=True):
            yield Cost(kind.name, size.n, size.d, multiply_adds(kind, size), median)


def _step(kind: Kind, size: Size) -> Callable[[], None]:
    """Return a function that runs forward and backward of a new layer once."""
    layer = kind.build(size, n_dilations(size) - 1)  # the largest dilation is the most expensive
    x, dy = (size.input("float32", seed=seed) for seed in (0, 1))

    def forward_and_backward() -> None:
        layer.forward(x)
        layer.backward(dy)

    return forward_and_backward


def take_turns(works: list[Callable[[], None]], budget: float, clock: Callable[[], float] = CLOCK) -> list[float]:
    """Return the median seconds of each function; they run in turns after a warm-up.

    >>> now = iter([0, 5, 10, 20, 30, 31, 40, 43])
    >>> take_turns([lambda: None], budget=1, clock=lambda: next(now))
    [3.0]
    """

    def seconds(work, times: int) -> float:
        start = clock()
        for _ in range(times):
            work()
        return (clock() - start) / times

    first = [max(seconds(work, 1), 1e-6) for work in works]
    times = [max(round(TURN_SECONDS / took), 1) for took in first]
    turns = [min(max(round(budget / (took * n)), 3), 51) for took, n in zip(first, times, strict=True)]
    found: list[list[float]] = [[] for _ in works]
    for turn in range(max(turns)):
        for i, work in enumerate(works):
            if turn < turns[i]:
                found[i].append(seconds(work, times[i]))
    return [statistics.median(each) for each in found]
