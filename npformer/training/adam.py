"""Adam: paper section 5.3."""

import math
from collections.abc import Callable
from itertools import starmap
from numbers import Real

import numpy as np

from ..base import InputError, stretches, to_device, to_host, xp
from .flat import FlatParameters

Rate = float | Callable[[int], float]  # one for all steps, or a function of the step


class Adam:
    """Move each parameter against its gradient, in steps that its own past gradients scale.

        m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
        p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Kingma and Ba 2015, algorithm 1, with the paper's beta1 0.9, beta2 0.98, eps 1e-9 (section 5.3). `learning_rate` is
    a number, or a function of the step such as WarmupSchedule; steps count updates from 1. `flat` holds the parameters:
    one buffer, gone through in stretches that stay in cache.

    Raises `InputError` when a setting is out of range, or `flat` is something else.

    >>> from npformer import Parameter
    >>> p = Parameter(np.array([1.0, -1.0]))
    >>> adam = Adam(FlatParameters([p]), learning_rate=0.1)
    >>> p.grad[...] = [5.0, -0.01]
    >>> adam.step()
    >>> p.data.round(3).tolist(), adam.steps
    ([0.9, -0.9], 1)
    """

    def __init__(
        self, flat: FlatParameters, *, learning_rate: Rate, beta1: float = 0.9, beta2: float = 0.98, eps: float = 1e-9
    ):
        if not isinstance(flat, FlatParameters):
            raise InputError(f"Adam got a {type(flat).__name__}: expected FlatParameters(model.parameters())")
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise InputError(f"{name} = {value}: expected 0 <= {name} < 1")
        if not 0 < eps < math.inf:
            raise InputError(f"eps = {eps}: expected a number above 0")
        self.flat = flat
        self.learning_rate = learning_rate
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        self._moments = xp.zeros((2, flat.data.size), flat.data.dtype)
        self.steps = 0
        self.torn = False  # True from a step's beginning to its end: some weights may be updated, and others not
        self.learning_rate_at(1)

    @property
    def moments(self):
        """Both moments, (2, parameters). To assign is to copy in."""
        return self._moments

    @moments.setter
    def moments(self, values):
        self._moments[...] = values

    @property
    def m(self):
        """First moment: a moving average of the gradients, not yet corrected for its start at 0, (parameters,)."""
        return self.moments[0]

    @property
    def v(self):
        """Second moment: the same of their squares, (parameters,)."""
        return self.moments[1]

    def move_to(self, copied: Callable) -> None:
        """Move the moments to where `copied` copies an array to."""
        self._moments = copied(self._moments)

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step. Raises `InputError` unless it is a number, 0 or more."""
        rate = self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate
        if not (isinstance(rate, Real) and 0 <= rate < math.inf):
            raise InputError(f"the learning rate of step {step} is {rate!r}: expected a number, 0 or more")
        return rate

    def step(self, each: Callable = starmap) -> None:
        """Update every parameter once from its gradient, stretch by stretch; `each` may do several side by side.

        Raises `InputError` when a step before was broken off, by an error or by Ctrl-C.
        """
        self.check_whole()
        lr = self.learning_rate_at(self.steps + 1)
        self.torn = True
        self.steps += 1
        correction_1 = 1 - self.beta1**self.steps
        correction_2 = 1 - self.beta2**self.steps

        # sqrt(v / correction_2) = sqrt(v) / sqrt(correction_2): the corrections move into two numbers,
        #   p = p - rate * m / (sqrt(v) + eps_hat)
        rate = lr * math.sqrt(correction_2) / correction_1
        eps_hat = self.eps * math.sqrt(correction_2)

        numbers = self.beta1, self.beta2, rate, eps_hat
        self.flat.settle()
        list(each(self.update, [(stretch, *numbers) for stretch in stretches(self.m.size)]))
        self.torn = False

    def check_whole(self) -> None:
        """Raise `InputError` when a step was broken off, until a state is loaded, of Adam and of the model."""
        if self.torn:
            broken = f"Adam's step {self.steps} was broken off when it had changed some of the weights"
            raise InputError(f"{broken}: load a checkpoint, or set torn = False to go on with what there is")

    def update(self, stretch: slice, beta1: float, beta2: float, rate: float, eps_hat: float) -> None:
        """Update the moments and parameters of a stretch.

        It may run in another process, which shares nothing of this object but its arrays, so all else is an argument. A
        subclass's own `update` is run by the process that trains, alone.
        """
        p, g, m, v = self.flat.data[stretch], self.flat.unsettled[stretch], self.m[stretch], self.v[stretch]
        m *= beta1
        t = g * (1 - beta1)
        m += t
        v *= beta2
        xp.multiply(g, g, out=t)
        t *= 1 - beta2
        v += t
        xp.sqrt(v, out=t)
        t += eps_hat
        xp.divide(m, t, out=t)
        t *= rate
        p -= t

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of both moments; `steps` is kept beside them by whoever saves.

        Raises `InputError` when a step was broken off, for there is no state then to go on from.
        """
        self.check_whole()
        return {"m": to_host(self.m).copy(), "v": to_host(self.v).copy()}

    def load_state_dict(self, state: dict[str, np.ndarray], steps: int) -> None:
        """Take over both moments and the steps taken. Raises `InputError` when the moments are of another model."""
        for name in ("m", "v"):
            if name not in state or state[name].shape != self.m.shape:
                raise InputError(f"the saved moment {name} does not fit: expected {self.m.size} numbers of this model")
        self.m[...], self.v[...] = to_device(state["m"]), to_device(state["v"])
        self.steps, self.torn = steps, False
