"""Adam: paper section 5.3.

Next: training/schedule.py
"""

import math
from collections.abc import Callable, Iterable
from numbers import Real

import numpy as np

from ..backend import Array, cache_chunks, to_device, to_host, xp
from ..module import Module, Parameter
from ..utils import InputError


class Adam:
    """Adam optimizer.

    Each parameter moves against the running mean m of its gradients g, divided by the root of the
    running mean v of their squares:

        m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
        p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)

    Kingma and Ba 2015, algorithm 1, with the values of the paper's section 5.3. See `adam` in
    npformer/slow_formulas.py for the same formula with scalar loops.

    With `weight_decay` each step first shrinks every p, also biases and gains, but not through m
    and v; this is AdamW (Loshchilov and Hutter 2019, algorithm 2), as PyTorch has it:

        p = p - lr weight_decay p

    All parameters are stored end to end in one array `data` (n,), and their gradients in `grad`
    (n,), in the order of `m` and `v` (n,): each Parameter becomes a view of its slice. A step is
    then a few operations on long arrays. An Adam that is made later from the same parameters takes
    them over, and the first one can take no further step.

    Arguments:
        parameters: the parameters to train, `model.parameters()`.
        learning_rate: a number, or a function of the step t such as `WarmupSchedule`; steps are
            counted from 1.
        beta1, beta2: how much of m and v is kept at each step, 0 <= beta < 1.
        eps: keeps the division finite where the gradients were 0.
        weight_decay: how fast parameters shrink, 0 or more; the paper has none.

    Raises `InputError` when a setting is out of range, and unless `parameters` are one Parameter
    or more, each given once, all of one dtype.

    >>> p = Parameter(np.array([1.0, -1.0]))
    >>> adam = Adam([p], learning_rate=0.1)
    >>> p.grad[...] = [5.0, -0.01]
    >>> adam.step()
    >>> p.data.round(3).tolist(), adam.steps
    ([0.9, -0.9], 1)
    """

    def __init__(
        self,
        parameters: Iterable[Parameter],
        learning_rate: float | Callable[[int], float],
        *,
        beta1: float = 0.9,
        beta2: float = 0.98,
        eps: float = 1e-9,
        weight_decay: float = 0.0,
    ):
        for name, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise InputError(f"{name} = {value}: expected 0 <= {name} < 1")
        if not 0 < eps < math.inf:
            raise InputError(f"eps = {eps}: expected a number above 0")
        if not 0 <= weight_decay < math.inf:
            raise InputError(f"weight_decay = {weight_decay}: expected a number >= 0")
        self.learning_rate = learning_rate
        # floats, because a float64 of NumPy would make the update of float32 weights float64
        self.beta1 = float(beta1)
        self.beta2 = float(beta2)
        self.eps = float(eps)
        self.weight_decay = float(weight_decay)

        # an invalid rate is refused before the parameters move out of another optimizer
        self.learning_rate_at(1)

        self.parameters = _checked_parameters(parameters)
        n = sum(p.data.size for p in self.parameters)
        dtype = self.parameters[0].data.dtype
        self.steps = 0
        self.m = xp.zeros(n, dtype)
        self.v = xp.zeros(n, dtype)
        self._store_parameters_in(xp.empty(n, dtype), xp.empty(n, dtype))

    def __repr__(self):
        settings = ("learning_rate", "beta1", "beta2", "eps", "weight_decay", "steps")
        values = ", ".join(f"{name}={getattr(self, name)}" for name in settings)
        return f"Adam({self.m.size:,} parameters, {values})"

    def __setstate__(self, state: dict) -> None:
        # in a copy, too, the parameters are to be views of the arrays (n,)
        vars(self).update(state)
        self._store_parameters_in(self.data, self.grad)

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of a step. Raises `InputError` unless it is a number >= 0."""
        rate = self.learning_rate(step) if callable(self.learning_rate) else self.learning_rate
        if not (isinstance(rate, Real) and 0 <= rate < math.inf):
            raise InputError(
                f"the learning rate of step {step} is {rate!r}: expected a number >= 0"
            )
        return float(rate)

    def step(self) -> None:
        """Update every parameter from its gradient.

        Raises `InputError` when another optimizer has taken the parameters over.
        """
        self.check_owns_parameters()
        step = self.steps + 1
        self.update_part(slice(None), step, self.learning_rate_at(step))
        self.steps = step

    def update_part(self, part: slice, step: int, lr: float) -> None:
        """Take a step for this part of the arrays (n,), in chunks that stay in the CPU's cache."""
        m_scale = 1 / (1 - self.beta1**step)
        v_scale = 1 / (1 - self.beta2**step)

        # slices are views: what changes p changes the model
        data = self.data[part]
        grad = self.grad[part]
        all_m = self.m[part]
        all_v = self.v[part]
        for chunk in cache_chunks(data.size):
            p = data[chunk]
            g = grad[chunk]
            m = all_m[chunk]
            v = all_v[chunk]

            m *= self.beta1
            m += (1 - self.beta1) * g
            v *= self.beta2
            v += (1 - self.beta2) * g * g
            if self.weight_decay:
                p -= lr * self.weight_decay * p
            p -= lr * m_scale * m / (xp.sqrt(v_scale * v) + self.eps)

    def zero_grad(self) -> None:
        """Set the gradient of every parameter to zero."""
        self.grad.fill(0)

    def clip_gradient(self, max_norm: float = math.inf) -> float:
        """Scale the gradient down to `max_norm` if its norm is larger; return the norm before.

        Pascanu et al. 2013, algorithm 1; the norm is that of all gradients together. Raises
        `InputError` unless max_norm is above 0.
        """
        if not max_norm > 0:
            raise InputError(f"max_norm = {max_norm}: expected a number above 0")
        norm = math.sqrt(float(self.grad @ self.grad))
        # False for NaN, which the caller finds in the returned norm
        if norm > max_norm:
            self.grad *= max_norm / norm
        return norm

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return copies of both moments, and the number of steps."""
        return {
            "m": to_host(self.m).copy(),
            "v": to_host(self.v).copy(),
            "steps": np.array(self.steps),
        }

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        """Restore what `state_dict` returned.

        Raises `InputError`, and changes nothing, when the moments are not as many floats as the
        model has.
        """
        for name in ("m", "v"):
            array = np.asarray(state.get(name))
            if array.shape != self.m.shape or array.dtype.kind != "f":
                raise InputError(
                    f"the saved moment {name} does not fit: "
                    f"expected {self.m.size} numbers of this model"
                )
        steps = np.asarray(state.get("steps"))
        if steps.ndim or steps.dtype.kind not in "iu" or steps < 0:
            raise InputError(f"the saved number of steps is {steps}: expected an integer >= 0")

        self.m[...] = to_device(state["m"])
        self.v[...] = to_device(state["v"])
        self.steps = int(steps)

    def check_owns_parameters(self) -> None:
        """Raise `InputError` if the parameters are no longer stored in this optimizer's arrays."""
        if not all(xp.may_share_memory(p.data, self.data) for p in self.parameters):
            raise InputError(
                "the parameters have moved out of this optimizer, into one that was made later or "
                "to another dtype: use that one, or make a new Adam(model.parameters(), ...)"
            )

    def slices(self) -> list[slice]:
        """Return where each parameter is in the arrays (n,)."""
        slices = []
        start = 0
        for p in self.parameters:
            slices.append(slice(start, start + p.data.size))
            start += p.data.size
        return slices

    def store_in(self, data: Array, grad: Array, m: Array, v: Array) -> None:
        """Keep everything in these arrays (n,) from now on, such as shared memory; values stay."""
        self.check_owns_parameters()
        m[...] = self.m
        v[...] = self.v
        self.m = m
        self.v = v
        self._store_parameters_in(data, grad)

    def _store_parameters_in(self, data: Array, grad: Array) -> None:
        self.data = data
        self.grad = grad
        for p, part in zip(self.parameters, self.slices(), strict=True):
            p.store_in(data[part].reshape(p.data.shape), grad[part].reshape(p.data.shape))


def _checked_parameters(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Return the parameters as a list. Raises `InputError` as `Adam` does."""
    expected = "expected one Parameter or more, all of one dtype: give model.parameters()"
    if isinstance(parameters, (Module, Parameter)):
        raise InputError(f"Adam got a {type(parameters).__name__}: {expected}")

    parameters = list(parameters)
    if not parameters:
        raise InputError(f"Adam got no parameters: {expected}")
    for p in parameters:
        if not isinstance(p, Parameter):
            raise InputError(f"Adam got a {type(p).__name__}: {expected}")
        if p.data.dtype != parameters[0].data.dtype:
            raise InputError(f"Adam got parameters of several dtypes: {expected}")
    if len({id(p) for p in parameters}) < len(parameters):
        raise InputError("Adam got a Parameter twice: give each once, as model.parameters() does")
    return parameters
