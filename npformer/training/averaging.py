"""Averaging the weights of several epochs: paper section 6.1."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..utils import InputError


def average_weights(states: Iterable[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the mean of some state dicts, array by array, each in its own dtype.

    One state at a time is held, and the sums are in float64, so that the order of the epochs does not show.

    Raises `InputError` when there is no state, or one has other names or shapes than the first.

    >>> states = [{"w": np.array([1.0, 2.0], "float32")}, {"w": np.array([3.0, 6.0], "float32")}]
    >>> average_weights(states)
    {'w': array([2., 4.], dtype=float32)}
    """
    sums, shapes, n_states = {}, None, 0
    for n_states, state in enumerate(states, start=1):
        own = {name: array.shape for name, array in state.items()}
        shapes = shapes or own
        if own != shapes:
            raise InputError(f"state {n_states} to average has other names or shapes than the first: average one run")
        for name, array in state.items():
            sums[name] = sums.get(name, 0.0) + array.astype("float64")
    if not n_states:
        raise InputError("there are no weights to average: expected one state dict or more")
    return {name: (sums[name] / n_states).astype(array.dtype) for name, array in state.items()}


def select_epochs(losses: Sequence[float], number: int, which: str) -> list[int]:
    """Return the epochs to average, counted from 1, in order: the "last" or the "best" by held-out loss.

    `losses` has the held-out loss of each epoch. Of two equal ones the earlier is the better; NaN is the worst.

    Raises `InputError` when `number` is below 1 or `which` is neither.

    >>> select_epochs([2.0, 1.5, 1.7, 1.6], 2, "last"), select_epochs([2.0, 1.5, 1.7, 1.6], 2, "best")
    ([3, 4], [2, 4])
    """
    if number < 1 or which not in ("last", "best"):
        raise InputError(f"the {which} {number} epochs cannot be averaged: expected the last or the best, 1 or more")
    epochs = range(1, len(losses) + 1)
    if which == "best":
        epochs = sorted(epochs, key=lambda epoch: (math.isnan(losses[epoch - 1]), losses[epoch - 1]))
        return sorted(epochs[:number])
    return list(epochs)[-number:]
