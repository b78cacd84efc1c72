"""Table 1's first column: multiply-adds counted, and seconds forward and backward."""

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...backend import check_numpy
from ...utils import InputError, blas_threads
from .layer_kinds import KINDS, Kind, Size, n_dilations

FEWEST, MOST = 3, 51  # turns
TURN = 0.005  # seconds of a turn, at least
CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time  # Windows counts the latter in 16 ms
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
WIDTHS = (32, 64, 128, 256, 512)


class Cost(NamedTuple):
    """What a forward and a backward of a layer cost: multiply-adds of its products of matrices, and seconds."""

    kind: str
    n: int
    d: int
    multiply_adds: int
    seconds: float


def multiply_adds(kind: Kind, size: Size) -> int:
    """Return the multiply-adds of all products of matrices, forward and backward.

    Backward makes two of each product, one for either factor. Sums that are computed as products with a vector of ones,
    and what works entry by entry, are no products of matrices.
    """
    return 3 * kind.products(size)


def costs(
    lengths: Sequence[int] = LENGTHS,
    widths: Sequence[int] = WIDTHS,
    *,
    k: int = 3,
    r: int = 32,
    batch: int = 1,
    budget: float = 0.4,
    kinds: Iterable[Kind] = KINDS,
    clock: Callable[[], float] = CLOCK,
) -> Iterator[Cost]:
    """Return an iterator over a `Cost` for every kind of layer at every d and n, in float32 and on one thread.

    At each size the kinds take turns; each is warmed up once, and then gets at least 3 and at most 51 turns, about
    `budget` seconds of them. The seconds are the median. Smaller sizes come first. The `clock` counts only while this
    thread computes, so that other programs on the machine do not show; on Windows it is the one on the wall.

    Raises `InputError` for a size below 1, a k that is even or below 3, fewer than two lengths or widths, or another
    backend than NumPy.
    """
    if min(len({*lengths}), len({*widths})) < 2:
        raise InputError(
            f"{len({*lengths})} lengths and {len({*widths})} widths: expected two of each or more, to fit exponents"
        )
    check_numpy("table 1")
    sizes = [Size(n, d, k, r, batch).checked() for n in sorted({*lengths}) for d in sorted({*widths})]
    return measured(sizes, list(kinds), budget, clock)


def measured(sizes: list[Size], kinds: list[Kind], budget: float, clock: Callable[[], float]) -> Iterator[Cost]:
    """Yield the costs of checked sizes."""
    for size in sizes:
        with blas_threads(1):
            seconds = in_turns([step(kind, size) for kind in kinds], budget, clock)
        for kind, took in zip(kinds, seconds, strict=True):
            yield Cost(kind.name, size.n, size.d, multiply_adds(kind, size), took)


def step(kind: Kind, size: Size) -> Callable[[], None]:
    """Return a function that takes a new layer forward and backward once."""
    layer = kind.build(size, n_dilations(size) - 1)  # of the dilated ones the dearest: most zeros stand around x
    x, dy = (size.input("float32", seed=seed) for seed in (0, 1))

    def forward_and_backward() -> None:
        layer.forward(x)
        layer.backward(dy)

    return forward_and_backward


def in_turns(works: list[Callable[[], None]], budget: float, clock: Callable[[], float]) -> list[float]:
    """Return the median seconds of each work, all of them repeated in turns after a first time that warms up.

    What takes less than 5 ms is done several times in each turn, so that who came before it does not matter.

    >>> now = iter([0, 5, 10, 20, 30, 31, 40, 43])
    >>> in_turns([lambda: None], budget=1, clock=lambda: next(now))
    [3.0]
    """

    def seconds(work, times: int) -> float:
        start = clock()
        for _ in range(times):
            work()
        return (clock() - start) / times

    first = [max(seconds(work, 1), 1e-6) for work in works]
    times = [max(round(TURN / took), 1) for took in first]
    turns = [min(max(round(budget / (took * n)), FEWEST), MOST) for took, n in zip(first, times, strict=True)]
    found: list[list[float]] = [[] for _ in works]
    for turn in range(max(turns)):
        for i, work in enumerate(works):
            if turn < turns[i]:
                found[i].append(seconds(work, times[i]))
    return [statistics.median(each) for each in found]
