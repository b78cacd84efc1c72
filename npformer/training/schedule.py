"""The learning rate over time: paper section 5.3, and a cosine in its place.

Next: training/trainer.py
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..utils import InputError

__all__ = ["CosineSchedule", "WarmupSchedule"]


@dataclass(frozen=True)
class WarmupSchedule:
    """Rise linearly for warmup_steps updates, then fall as 1 / sqrt(step).

        lrate = factor * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)

    Paper equation 3, with factor 1.

    Arguments:
        d_model: the width of the model.
        warmup_steps: how many updates the rate rises for, 4000 in the paper.
        factor: what the paper's rate is multiplied by.

    Raises `InputError` unless all three are numbers above 0.

    >>> schedule = WarmupSchedule(512, 4000)
    >>> f"{schedule(1):.2e} {schedule(4000):.2e} {schedule(16000):.2e}"
    '1.75e-07 6.99e-04 3.49e-04'
    """

    d_model: int
    warmup_steps: int = 4000
    _: KW_ONLY
    factor: float = 1.0

    def __post_init__(self):
        for name, value in vars(self).items():
            if not 0 < value < math.inf:
                raise InputError(f"{name} = {value}: expected a number above 0")

    @classmethod
    def with_peak(cls, peak: float, d_model: int, warmup_steps: int) -> "WarmupSchedule":
        """Return the schedule whose highest learning rate, reached at warmup_steps, is `peak`.

        >>> schedule = WarmupSchedule.with_peak(0.005, 128, 2000)
        >>> round(schedule(2000), 6)
        0.005
        """
        return cls(d_model, warmup_steps, factor=peak * (d_model * warmup_steps) ** 0.5)

    def __call__(self, step: int | np.ndarray) -> Any:
        """Return the rate of an update, or of an array of them.

        Raises `InputError` for a step below 1: updates are counted from 1.
        """
        _check_steps(step)
        rising_or_falling = np.minimum(step**-0.5, step * self.warmup_steps**-1.5)
        rate = self.factor * self.d_model**-0.5 * rising_or_falling
        return rate if np.ndim(step) else float(rate)


@dataclass(frozen=True)
class CosineSchedule:
    """Rise linearly to a peak, fall along half a cosine until decay_steps, then stay.

        lrate = peak * step / warmup_steps                          step <= warmup_steps
        lrate = final + (peak - final) * (1 + cos(pi * share)) / 2  after that, with
        share = (step - warmup_steps) / (decay_steps - warmup_steps), at most 1

    Loshchilov and Hutter 2017, equation 5, for one period, after a warm-up.

    Arguments:
        peak: the highest rate, that of update warmup_steps.
        warmup_steps: how many updates the rate rises for.
        decay_steps: the update from which the rate stays at `final`.
        final: the last rate.

    Raises `InputError` unless peak is above 0, final from 0 to peak, and
    0 < warmup_steps < decay_steps.

    >>> schedule = CosineSchedule(1e-3, warmup_steps=100, decay_steps=2000, final=1e-4)
    >>> f"{schedule(50):.2e} {schedule(100):.2e} {schedule(1050):.2e} {schedule(3000):.2e}"
    '5.00e-04 1.00e-03 5.50e-04 1.00e-04'
    """

    peak: float
    _: KW_ONLY
    warmup_steps: int
    decay_steps: int
    final: float = 0.0

    def __post_init__(self):
        for name in ("peak", "warmup_steps"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise InputError(f"{name} = {value}: expected a number above 0")
        if not self.warmup_steps < self.decay_steps < math.inf:
            raise InputError(
                f"decay_steps = {self.decay_steps}: "
                f"expected a number above warmup_steps = {self.warmup_steps}"
            )
        if not 0 <= self.final <= self.peak:
            raise InputError(
                f"final = {self.final}: expected a number from 0 to peak = {self.peak}"
            )

    def __call__(self, step: int | np.ndarray) -> Any:
        """Return the rate of an update, or of an array of them.

        Raises `InputError` for a step below 1: updates are counted from 1.
        """
        _check_steps(step)
        share = np.clip((step - self.warmup_steps) / (self.decay_steps - self.warmup_steps), 0, 1)
        falling = self.final + (self.peak - self.final) * (1 + np.cos(np.pi * share)) / 2
        rising = self.peak * step / self.warmup_steps
        rate = np.where(step <= self.warmup_steps, rising, falling)
        return rate if np.ndim(step) else float(rate)


def _check_steps(step: int | np.ndarray) -> None:
    if np.min(step) < 1:
        raise InputError(f"the learning rate of step {np.min(step)}: steps are counted from 1")
