"""The measurements of table 1: seconds of forward and backward, and how far gradients reach."""

import sys
from collections.abc import Iterator, Sequence
from time import perf_counter, process_time
from timeit import Timer
from typing import NamedTuple

import numpy as np

from ...backend import check_numpy
from ...utils import blas_threads
from .layer_kinds import KINDS, Kind, Size

CLOCK = (
    perf_counter if sys.platform == "emscripten" else process_time
)  # a browser has none of the processor
TURN_SECONDS = 0.005  # shorter work is repeated within a turn
LENGTHS, WIDTHS = (64, 128, 256, 512, 1024, 2048, 4096), (32, 64, 128, 256, 512)


class Cost(NamedTuple):
    """The multiply-adds of a layer's forward and, twice as many, of its backward, and seconds of the processor."""

    kind: str
    n: int
    d: int
    multiply_adds: int
    seconds: float


def measure_costs(
    lengths: Sequence[int] = LENGTHS,
    widths: Sequence[int] = WIDTHS,
    *,
    k: int = 3,
    r: int = 32,
    batch: int = 1,
    turns: int = 5,
    kinds: Sequence[Kind] = KINDS,
) -> Iterator[Cost]:
    """Yield the `Cost` of every layer kind at every n and d, in float32 and on one thread.

    The kinds take turns, so that a change of the machine's speed meets all of them; the median turn counts.

    Raises `InputError` for a size below 1, a k that is even or below 3, or another backend than NumPy.
    """
    check_numpy("table 1")
    for size in [Size(n, d, k, r, batch) for n in lengths for d in widths]:
        with blas_threads(1):
            # of dilated layers, that with the largest dilation is the most expensive
            layers, x = (
                [kind.build(size, size.n_dilations - 1, rng=0) for kind in kinds],
                size.input("float32"),
            )
            timers = [
                Timer("one.backward(one.forward(x))", "", CLOCK, {"one": one, "x": x})
                for one in layers
            ]
            pairs = [
                (timer, max(round(TURN_SECONDS / max(timer.timeit(1), 1e-4)), 1))
                for timer in timers
            ]  # a warm-up
            seconds = np.median(
                [[timer.timeit(n) / n for timer, n in pairs] for _ in range(turns)], axis=0
            )
        for kind, median in zip(kinds, seconds.tolist(), strict=True):
            yield Cost(kind.name, size.n, size.d, 3 * batch * kind.multiply_adds(size), median)


def layers_between_ends(kind: Kind, size: Size) -> int:
    """Return the number of layers after which the last position's gradient reaches the first position.

    >>> [layers_between_ends(kind, Size(9, 4, k=3, r=4)) for kind in KINDS]
    [1, 1, 8, 4, 4]
    """
    return next(
        n_layers
        for n_layers in range(1, size.n + 1)
        if gradient_by_position(kind, size, n_layers)[0] > 0
    )


def gradient_by_position(kind: Kind, size: Size, n_layers: int) -> np.ndarray:
    """Return the norms (n,) of the gradients that each position receives from the last through a stack of layers."""
    rng, y = np.random.default_rng(2), size.input("float64")
    layers = [kind.build(size, level, rng=rng, dtype="float64") for level in range(n_layers)]
    for layer in layers:
        y = layer.forward(y)
    dx = np.zeros_like(y)
    dx[:, -1] = np.random.default_rng(1).standard_normal(dx[:, -1].shape)
    for layer in reversed(layers):
        dx = layer.backward(dx)
    return np.sqrt((dx * dx).sum((0, 2)))
