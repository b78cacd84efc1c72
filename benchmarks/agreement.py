"""Whether npformer and an opponent are the same function: equal weights, equal losses and
gradients.
"""

from __future__ import annotations

from itertools import cycle, islice

import numpy as np
from contestants import CONTESTANTS, NPFormer
from sizes import Size


def differences(size: Size, name: str = "torch, same work", steps: int = 5) -> tuple[float, float]:
    """Return how far npformer and an opponent differ without dropout: in loss, and in the first
    gradient.

    The gradients' difference is a share of their norm. The warm-up is short enough for a wrong
    gradient to show, and long enough that Adam, which divides by the gradient's size, does not
    amplify rounding errors. npformer comes first: it forks its workers before the other's threads
    are there.
    """
    batches = [tuple(ids[:8] for ids in batch) for batch in islice(cycle(size.batches()), steps)]
    ours = NPFormer(size, 0.0, warmup_steps=1000)
    weights = ours.model.state_dict()
    our_losses, our_gradients = trained(ours, batches)
    theirs = CONTESTANTS[name](size, 0.0, warmup_steps=1000)
    theirs.load(weights)
    their_losses, their_gradients = trained(theirs, batches)
    losses = np.abs(np.subtract(our_losses, their_losses)).max()
    apart = sum(
        np.square(their_gradients[name] - gradient).sum()
        for name, gradient in our_gradients.items()
    )
    return float(losses), float(
        (apart / sum(np.square(g).sum() for g in our_gradients.values())) ** 0.5
    )


def trained(contestant, batches: list) -> tuple[list[float], dict[str, np.ndarray]]:
    """Step on each batch; return the losses, and the gradients of the first."""
    losses = [contestant.step(*batches[0])]
    gradients = {
        name: np.array(gradient) for name, gradient in contestant.first_gradients().items()
    }
    return losses + [contestant.step(*batch) for batch in batches[1:]], gradients
