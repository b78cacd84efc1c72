"""The gradient of an update."""

from collections.abc import Sequence
from typing import Any

from ..backend import Array


def forward_backward(objective: Any, gradient: Array, batches: Sequence, n_tokens: int) -> float:
    """Leave the gradient of the loss of some batches in `gradient`; return that loss.

    Arguments:
        objective: the model with its loss, as in `Trainer`.
        gradient: the array (n,) of which the gradients of its parameters are views.
        batches: those of an update, or a worker's share of them.
        n_tokens: the number of targets in the whole update. The losses are divided by it, so that
            those of all batches and workers add up to the mean per target.
    """
    gradient.fill(0)
    loss = 0.0
    for batch in batches:
        loss += objective.forward(batch, n_tokens)
        objective.backward()
    return loss
