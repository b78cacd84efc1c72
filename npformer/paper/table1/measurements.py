"""The measurements of table 1: seconds of forward and backward, and how far gradients reach."""

import sys
from collections.abc import Iterator, Sequence
from itertools import product
from time import perf_counter, process_time
from timeit import Timer
from typing import NamedTuple

import numpy as np

from ...backend import check_numpy
from ...module import Module
from ...utils import blas_threads
from .layer_kinds import KINDS, Kind, Size

# a browser has no clock of the processor
CLOCK = perf_counter if sys.platform == "emscripten" else process_time
TURN_SECONDS = 0.005  # shorter work is repeated within a turn
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
WIDTHS = (32, 64, 128, 256, 512)


class Cost(NamedTuple):
    """What a layer costs.

    Arguments:
        kind: The name of its kind.
        n: The length of a sequence.
        d: The number of features.
        multiply_adds: Those of its forward and, twice as many, of its backward.
        seconds: Seconds of the processor.
    """

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

    The kinds take turns, so that a change of the machine's speed meets all of them; the median turn
    counts.

    Raises `InputError` for a size below 1, a k that is even or below 3, or another backend than
    NumPy.

    Arguments:
        lengths: The values of n.
        widths: The values of d.
        k: The width of a convolution's kernel.
        r: The neighbors that restricted self-attention sees.
        batch: The number of sequences in a batch.
        turns: How often each kind is measured.
        kinds: The layers.
    """
    check_numpy("table 1")
    for n, d in product(lengths, widths):
        size = Size(n, d, k, r, batch)
        with blas_threads(1):
            seconds = _measure_turns(size, kinds, turns)
        for kind, median in zip(kinds, np.median(seconds, axis=0).tolist(), strict=True):
            # backward computes two products for each one of forward
            multiply_adds = 3 * batch * kind.multiply_adds(size)
            yield Cost(kind.name, size.n, size.d, multiply_adds, median)


def _measure_turns(size: Size, kinds: Sequence[Kind], turns: int) -> np.ndarray:
    """Return the seconds (turns, kinds) of forward and backward."""
    x = size.input("float32")
    timers = []
    repetitions = []
    for kind in kinds:
        # of dilated layers, that with the largest dilation is the most expensive
        layer = kind.build(size, size.n_dilations - 1, rng=0)
        timer = _timer(layer, x)
        # a clock of coarse steps may measure 0
        warm_up_seconds = max(timer.timeit(1), 1e-4)
        timers.append(timer)
        repetitions.append(max(round(TURN_SECONDS / warm_up_seconds), 1))

    # in turns, so that a change of the machine's speed meets all kinds
    seconds = np.empty((turns, len(kinds)))
    for turn in range(turns):
        for i, (timer, n) in enumerate(zip(timers, repetitions, strict=True)):
            seconds[turn, i] = timer.timeit(n) / n
    return seconds


def _timer(layer: Module, x: np.ndarray) -> Timer:
    """Return a timer of forward and backward."""
    names = {"layer": layer, "x": x}
    return Timer("layer.backward(layer.forward(x))", "", CLOCK, names)


def layers_between_ends(kind: Kind, size: Size) -> int:
    """Return after how many layers the last position's gradient reaches the first position.

    >>> [layers_between_ends(kind, Size(9, 4, k=3, r=4)) for kind in KINDS]
    [1, 1, 8, 4, 4]
    """
    n_layers = 1
    # exactly 0: without a path nothing is added there, so no tolerance is needed
    while gradient_by_position(kind, size, n_layers)[0] == 0:
        n_layers += 1
    return n_layers


def gradient_by_position(kind: Kind, size: Size, n_layers: int) -> np.ndarray:
    """Return how much of the last position's gradient reaches each position.

    The result are the norms (n,) of the gradients behind a stack of layers.
    """
    rng = np.random.default_rng(2)
    layers = [kind.build(size, level, rng=rng, dtype="float64") for level in range(n_layers)]
    y = size.input("float64")
    for layer in layers:
        y = layer.forward(y)
    dx = np.zeros_like(y)
    dx[:, -1] = np.random.default_rng(1).standard_normal(dx[:, -1].shape)
    for layer in reversed(layers):
        dx = layer.backward(dx)
    return np.sqrt((dx * dx).sum((0, 2)))
