"""Adam: paper section 5.3."""

from collections.abc import Callable

import numpy as np

from ..backend import cache_chunks, to_device, to_host, xp
from .flat_parameters import FlatParameters


class Adam:
    """Move each parameter against its gradient, in steps that its own past gradients scale.

        m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
        p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Kingma and Ba 2015, algorithm 1, with the paper's beta1 0.9, beta2 0.98, eps 1e-9 (section 5.3).
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
        self.flat = flat
        self.learning_rate = learning_rate
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self.m, self.v = xp.zeros_like(flat.data), xp.zeros_like(flat.data)
        self.steps = 0

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 1."""
        return self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate

    def step(self) -> None:
        """Update every parameter from its gradient, one slice of the buffer at a time so that it stays in cache."""
        self.steps += 1
        lr = self.learning_rate_at(self.steps)
        m_scale = 1 / (1 - self.beta1**self.steps)
        v_scale = 1 / (1 - self.beta2**self.steps)
        for part in cache_chunks(self.m.size):
            p, g, m, v = (array[part] for array in (self.flat.data, self.flat.grad, self.m, self.v))
            m *= self.beta1
            m += (1 - self.beta1) * g
            v *= self.beta2
            v += (1 - self.beta2) * g * g
            p -= lr * m_scale * m / (xp.sqrt(v_scale * v) + self.eps)

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of both moments."""
        return {"m": to_host(self.m).copy(), "v": to_host(self.v).copy()}

    def load_state_dict(self, state: dict[str, np.ndarray], steps: int) -> None:
        """Restore both moments and the step count."""
        self.m[...], self.v[...] = to_device(state["m"]), to_device(state["v"])
        self.steps = steps
