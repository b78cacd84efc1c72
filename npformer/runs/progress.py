"""What a training tells after each of its updates."""

from dataclasses import dataclass

from ..training import StepRecord


@dataclass(frozen=True)
class Update(StepRecord):
    """What one update did, or one epoch: `loss` is then the mean over its tokens, which `tokens` counts.

    `seconds` are all since the run began, over several sittings; `held_out_loss` is measured where an epoch ends, and
    of a classifier `held_out_accuracy`, 0 to 1. A classifier's tokens are its texts.
    """

    seconds: float
    tokens_per_second: float
    held_out_loss: float | None
    held_out_accuracy: float | None
