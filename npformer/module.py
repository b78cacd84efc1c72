"""Parameter and Module: what every layer is made of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .base.backend import to_device, to_host, xp
from .base.errors import InputError


class Parameter:
    """An array that training changes, `data`, and the gradient of the loss with respect to it, `grad`."""

    __slots__ = ("data", "grad")

    def __init__(self, data):
        self.data = to_device(data)
        self.grad = xp.zeros_like(self.data)

    def __repr__(self):
        return f"Parameter(shape={self.data.shape}, dtype={self.data.dtype})"


class Module:
    """A layer: `forward`, and right under it a `backward` written by hand.

    `forward` leaves what `backward` needs with `keep`; `backward` takes it out, once, with `kept`. Attributes that
    are Parameters, Modules or lists of Modules are found by name.

    >>> class Double(Module):
    ...     def forward(self, x):
    ...         self.keep()
    ...         return 2 * x
    ...     def backward(self, dy):
    ...         self.kept()
    ...         return 2 * dy
    >>> double = Double()
    >>> double.forward(3.0), double.backward(1.0)
    (6.0, 2.0)
    >>> double.backward(1.0)
    Traceback (most recent call last):
    RuntimeError: Double.backward has nothing to work from: call forward in training mode before each backward
    """

    training = True
    _cache = None

    def __repr__(self):
        return f"{type(self).__name__}()"

    def keep(self, *values) -> None:
        """Leave `values` for backward; in eval mode nothing is kept."""
        self._cache = values if self.training else None

    def kept(self) -> tuple:
        """Take out what forward left. Raises RuntimeError when there is nothing, as after a first backward."""
        cache, self._cache = self._cache, None
        if cache is None:
            raise RuntimeError(
                f"{type(self).__name__}.backward has nothing to work from: "
                "call forward in training mode before each backward"
            )
        return cache

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Yield this module and all inside it, with their dotted names, in the order of their making."""
        yield prefix.rstrip("."), self
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield from value.named_modules(f"{prefix}{name}.")
            elif isinstance(value, list):
                for i, child in enumerate(value):
                    if isinstance(child, Module):
                        yield from child.named_modules(f"{prefix}{name}.{i}.")

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yield each Parameter once, under the first of its names: a shared table comes up a single time."""
        seen = set()
        for prefix, module in self.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Parameter) and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{prefix}.{name}" if prefix else name, value

    def parameters(self) -> list[Parameter]:
        """Return each Parameter once."""
        return [parameter for _, parameter in self.named_parameters()]

    def generators(self) -> list[np.random.Generator]:
        """Return each random generator that forward draws from (dropout's) once."""
        found = (getattr(module, "rng", None) for _, module in self.named_modules())
        return list({id(rng): rng for rng in found if rng is not None}.values())

    def train(self, mode: bool = True) -> Module:
        """Switch to training mode: dropout drops, and forward keeps what backward needs."""
        for _, module in self.named_modules():
            module.training = mode
            module._cache = None
        return self

    def eval(self) -> Module:
        """Switch to eval mode: nothing is dropped, and nothing is kept."""
        return self.train(False)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Be in eval mode inside a with block, and afterwards in whichever mode it was."""
        was_training = self.training
        self.eval()
        try:
            yield
        finally:
            self.train(was_training)

    def zero_grad(self) -> None:
        """Set every gradient to zero, in place."""
        for parameter in self.parameters():
            parameter.grad.fill(0)

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter as a NumPy array under its name."""
        return {name: to_host(p.data).copy() for name, p in self.named_parameters()}

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        """Copy the arrays of `state` into the parameters of the same names.

        Raises `InputError`, and changes nothing, when a name is missing or unknown, or a shape differs.
        """
        own = dict(self.named_parameters())
        for problem, names in (("lack", own.keys() - state.keys()), ("have unknown", state.keys() - own.keys())):
            if names:
                shown = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
                raise InputError(f"these weights {problem} {shown}: were they saved from a model of another config?")
        for name, parameter in own.items():
            if state[name].shape != parameter.data.shape:
                raise InputError(
                    f"{name} came with shape {state[name].shape}, expected {parameter.data.shape}: "
                    "build the model with the config that the weights were saved with"
                )
        for name, parameter in own.items():
            parameter.data[...] = to_device(state[name])
