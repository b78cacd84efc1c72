"""The report of a training after each of its updates."""

from dataclasses import dataclass

from ..training import StepRecord


@dataclass(frozen=True)
class Update(StepRecord):
    """One update, or one epoch: `loss` is then the mean over its tokens, and `tokens` their number.

    `seconds` is the time since the run began, over several sittings. `held_out_loss`, and for a classifier
    `held_out_accuracy` from 0 to 1, are measured at the end of an epoch. A classifier's tokens are its texts.
    """

    seconds: float
    tokens_per_second: float
    held_out_loss: float | None
    held_out_accuracy: float | None
