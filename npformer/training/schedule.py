"""The learning rate over time: paper section 5.3."""

import math

import numpy as np

from ..base import InputError


class WarmupSchedule:
    """Rise linearly for warmup_steps updates, then fall with the root of the step.

        lrate = factor * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5)

    Paper equation 3, with factor 1. Steps count updates from 1.

    Raises `InputError` unless d_model, warmup_steps and factor are numbers above 0.

    >>> schedule = WarmupSchedule(512, 4000)
    >>> f"{schedule(1):.2e} {schedule(4000):.2e} {schedule(16000):.2e}"
    '1.75e-07 6.99e-04 3.49e-04'
    """

    def __init__(self, d_model: int, warmup_steps: int = 4000, *, factor: float = 1.0):
        for name, value in (("d_model", d_model), ("warmup_steps", warmup_steps), ("factor", factor)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} = {value}: expected a number above 0")
        self.d_model = d_model
        self.warmup_steps = warmup_steps
        self.factor = factor

    @classmethod
    def with_peak(cls, peak: float, d_model: int, warmup_steps: int) -> "WarmupSchedule":
        """Return the schedule whose highest learning rate, reached at warmup_steps, is `peak`.

        >>> schedule = WarmupSchedule.with_peak(0.005, 128, 2000)
        >>> round(schedule(2000), 6)
        0.005
        """
        return cls(d_model, warmup_steps, factor=peak * (d_model * warmup_steps) ** 0.5)

    def __call__(self, step):
        """Return the rate of an update, counted from 1, or of an array of them. Raises `InputError` for one below 1."""
        if np.ndim(step):
            return np.array([self(one) for one in np.ravel(step).tolist()]).reshape(np.shape(step))
        if step < 1:
            raise InputError(f"step = {step}: updates are counted from 1")
        return self.factor * self.d_model**-0.5 * min(step**-0.5, step * self.warmup_steps**-1.5)
