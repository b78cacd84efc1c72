"""Averaging the weights of several epochs: paper section 6.1."""

import math
from collections.abc import Iterable, Sequence

import numpy as np


def average_weights(states: Iterable[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the mean of some state dicts, array by array, each in its own dtype.

    One state at a time is held, and the sums are in float64, so that the order of the epochs does not show.

    >>> states = [{"w": np.array([1.0, 2.0], "float32")}, {"w": np.array([3.0, 6.0], "float32")}]
    >>> average_weights(states)
    {'w': array([2., 4.], dtype=float32)}
    """
    sums, n_states = {}, 0
    for state in states:
        n_states += 1
        for name, array in state.items():
            sums[name] = sums.get(name, 0.0) + array.astype("float64")
    return {name: (sums[name] / n_states).astype(array.dtype) for name, array in state.items()}


def select_epochs(losses: Sequence[float], number: int, which: str) -> list[int]:
    """Return the epochs to average, counted from 1, in order: the "last" or the "best" by held-out loss.

    `losses` has the held-out loss of each epoch. Of two equal ones the earlier is the better; NaN is the worst.

    >>> select_epochs([2.0, 1.5, 1.7, 1.6], 2, "last"), select_epochs([2.0, 1.5, 1.7, 1.6], 2, "best")
    ([3, 4], [2, 4])
    """
    epochs = range(1, len(losses) + 1)
    if which == "best":
        epochs = sorted(
            epochs, key=lambda epoch: (math.isnan(losses[epoch - 1]), losses[epoch - 1])
        )
        return sorted(epochs[:number])
    return list(epochs)[-number:]
