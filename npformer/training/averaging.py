"""Averaging the weights of several epochs: paper section 6.1."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from ..utils import InputError

__all__ = ["average_weights", "select_epochs"]


def average_weights(states: Iterable[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """Return the mean of some state dicts, array by array, each in its own dtype.

    One state at a time is held, so `states` may be a generator that reads files. Raises
    `InputError` when there is no state, and when their names and shapes differ.

    >>> states = [{"w": np.array([1.0, 2.0], "float32")}, {"w": np.array([3.0, 6.0], "float32")}]
    >>> average_weights(states)
    {'w': array([2., 4.], dtype=float32)}
    """
    # sums in float64, so that rounding errors stay small
    sums: dict[str, np.ndarray] = {}
    dtypes = {}
    n_states = 0
    for state in states:
        n_states += 1
        shapes = {name: array.shape for name, array in state.items()}
        if n_states == 1:
            shapes_of_first = shapes
        if shapes != shapes_of_first:
            raise InputError(
                f"state {n_states} to average has other names or shapes than the first: "
                "expected state dicts of one model"
            )
        for name, array in state.items():
            sums[name] = sums.get(name, 0.0) + array.astype("float64")
            dtypes[name] = array.dtype
    if n_states == 0:
        raise InputError("there are no weights to average: expected at least one state dict")

    return {name: (total / n_states).astype(dtypes[name]) for name, total in sums.items()}


def select_epochs(losses: Sequence[float], number: int, which: str) -> list[int]:
    """Return the epochs to average, counted from 1, in their order.

    Arguments:
        losses: the held-out loss of each epoch. Of two equal ones the earlier is the better; NaN
            is the worst.
        number: how many epochs to return; all if there are not as many.
        which: "last", or "best" by held-out loss.

    Raises `InputError` when number is below 1, or `which` another word.

    >>> losses = [2.0, 1.5, 1.7, 1.6]
    >>> select_epochs(losses, 2, "last"), select_epochs(losses, 2, "best")
    ([3, 4], [2, 4])
    """
    if number < 1:
        raise InputError(f"the number of epochs is {number}: expected 1 or more")
    if which not in ("last", "best"):
        raise InputError(f"which = {which!r}: expected 'last' or 'best'")

    def rank(epoch):
        loss = losses[epoch - 1]
        return math.isnan(loss), loss  # False sorts before True: NaN comes last

    epochs = list(range(1, len(losses) + 1))
    if which == "last":
        return epochs[-number:]
    return sorted(sorted(epochs, key=rank)[:number])
