"""Adam: paper section 5.3.

Next: training/schedule.py
"""

import math
from collections.abc import Callable
from numbers import Real

import numpy as np

from ..backend import Array, cache_chunks, to_device, to_host, xp
from ..utils import InputError
from .flat_parameters import FlatParameters


class Adam:
    """Move each parameter against its gradient, in steps that its own past gradients scale.

        m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
        p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Kingma and Ba 2015, algorithm 1, with the paper's beta1 0.9, beta2 0.98, eps 1e-9 (section 5.3). `learning_rate` is
    a number, or a function of the step t such as WarmupSchedule; steps are counted from 1. `m` and `v` are (n,), as the
    buffers of `flat`. Parameter by parameter it is `adam` in npformer/slow_formulas.py.

    Raises `InputError` when a setting is out of range, or `flat` is not FlatParameters.

    >>> from npformer import Parameter
    >>> p = Parameter(np.array([1.0, -1.0]))
    >>> adam = Adam(FlatParameters([p]), learning_rate=0.1)
    >>> p.grad[...] = [5.0, -0.01]
    >>> adam.step()
    >>> p.data.round(3).tolist(), adam.steps
    ([0.9, -0.9], 1)
    """

    def __init__(
        self,
        flat: FlatParameters,
        *,
        learning_rate: float | Callable[[int], float],
        beta1: float = 0.9,
        beta2: float = 0.98,
        eps: float = 1e-9,
    ):
        if not isinstance(flat, FlatParameters):
            raise InputError(
                f"Adam got a {type(flat).__name__}: expected FlatParameters(model.parameters())"
            )
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise InputError(f"{name} = {value}: expected 0 <= {name} < 1")
        if not 0 < eps < math.inf:
            raise InputError(f"eps = {eps}: expected a number above 0")
        self.flat = flat
        self.learning_rate = learning_rate
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.m, self.v = xp.zeros_like(flat.data), xp.zeros_like(flat.data)
        self.steps = 0
        self.learning_rate_at(1)

    def __repr__(self):
        settings = ("learning_rate", "beta1", "beta2", "eps", "steps")
        values = ", ".join(f"{name}={getattr(self, name)}" for name in settings)
        return f"Adam({self.m.size:,} parameters, {values})"

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step. Raises `InputError` unless it is a number >= 0."""
        rate = self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate
        if not (isinstance(rate, Real) and 0 <= rate < math.inf):
            raise InputError(
                f"the learning rate of step {step} is {rate!r}: expected a number >= 0"
            )
        return rate

    def step(self) -> None:
        """Update every parameter from its gradient."""
        self.update_part(slice(None), self.steps + 1)
        self.steps += 1

    def update_part(self, part: slice, step: int) -> None:
        """Take a step for this part of the parameters, one chunk at a time so that it stays in cache."""
        lr = self.learning_rate_at(step)
        m_scale, v_scale = 1 / (1 - self.beta1**step), 1 / (1 - self.beta2**step)
        buffers = [array[part] for array in (self.flat.data, self.flat.grad, self.m, self.v)]
        for chunk in cache_chunks(buffers[0].size):
            p, g, m, v = (
                array[chunk] for array in buffers
            )  # views: what changes p changes the model
            m *= self.beta1
            m += (1 - self.beta1) * g
            v *= self.beta2
            v += (1 - self.beta2) * g * g
            p -= lr * m_scale * m / (xp.sqrt(v_scale * v) + self.eps)

    def store_in(self, m: Array, v: Array) -> None:
        """Keep the moments in these two arrays (n,) from now on; their values stay."""
        m[...], v[...] = self.m, self.v
        self.m, self.v = m, v

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of both moments; `steps` is saved next to them by the caller."""
        return {"m": to_host(self.m).copy(), "v": to_host(self.v).copy()}

    def load_state_dict(self, state: dict[str, np.ndarray], steps: int) -> None:
        """Restore both moments and the number of steps. Raises `InputError` when the moments are of another model."""
        for name in ("m", "v"):
            if (
                name not in state
                or state[name].shape != self.m.shape
                or state[name].dtype.kind != "f"
            ):
                raise InputError(
                    f"the saved moment {name} does not fit: expected {self.m.size} numbers of this model"
                )
        self.m[...], self.v[...] = to_device(state["m"]), to_device(state["v"])
        self.steps = steps
