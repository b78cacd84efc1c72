"""What a run says of each update, and of each epoch."""

from dataclasses import dataclass

from ..training import StepRecord


@dataclass(frozen=True)
class Update(StepRecord):
    """What one update did, or one epoch: `loss` is then the mean over its tokens, which `tokens` counts.

    `seconds` are all since the run began, over several sittings; `held_out_loss` is measured where an epoch ends.
    """

    seconds: float
    tokens_per_second: float
    held_out_loss: float | None
