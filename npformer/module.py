"""Module, the base class of every layer, and Parameter, a trainable array with its gradient."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .backend import Array, to_device, to_host, xp
from .utils import InputError

__all__ = ["Module", "Parameter"]


class Parameter:
    """A trainable array, `data`, and the gradient of the loss with respect to it, `grad`.

    Assigning to either copies values of the same shape into the array, which may be a view of an optimizer's buffer.
    """

    def __init__(self, data: Any):
        self._data = to_device(data)
        if self._data.dtype.kind != "f":
            raise InputError(
                f"a Parameter of type {self._data.dtype}: expected dtype='float32' or 'float64'"
            )
        self._grad = xp.zeros_like(self._data)

    def __repr__(self):
        return f"Parameter(shape={self.data.shape}, dtype={self.data.dtype})"

    @property
    def data(self) -> Array:
        """The array that training changes."""
        return self._data

    @data.setter
    def data(self, values: Array) -> None:
        self._fill(self._data, values)

    @property
    def grad(self) -> Array:
        """The gradient of the loss with respect to `data`."""
        return self._grad

    @grad.setter
    def grad(self, values: Array) -> None:
        self._fill(self._grad, values)

    def _fill(self, array, values) -> None:
        if values is array:  # as it is after p.grad += ...
            return
        values = to_device(values)
        if values.shape != array.shape:
            raise InputError(f"{self} got values of shape {values.shape}: expected {array.shape}")
        array[...] = values

    def store_in(self, data: Array, grad: Array) -> None:
        """Keep data and gradient in these two arrays from now on, such as slices of a buffer; their values stay."""
        data[...], grad[...] = self._data, self._grad
        self._data, self._grad = data, grad

    def with_grad(self, grad: Array) -> "Parameter":
        """Return a Parameter that shares `data` with this one and has another gradient."""
        copy = Parameter.__new__(Parameter)
        copy._data, copy._grad = self._data, grad
        return copy


class Module:
    """A layer: `forward`, and under it a `backward` written by hand.

    `forward` ends with `return self.remember(y, ...)`, which caches what `backward` needs and returns y; `backward(dy)`
    begins with `self.recall(dy)`, which takes the cache out again, once. Parameters and layers are found in attributes
    and in lists and tuples of them. In eval mode nothing is dropped and nothing is cached.
    """

    training = True
    _cache = None  # the shape of the output, and what backward needs

    @property
    def label(self) -> str:
        """The layer's name in errors and tables, with the shape of its first parameter."""
        sizes = [
            ", ".join(map(str, parameter.data.shape)) for _, parameter in self.members(Parameter)
        ]
        return f"{type(self).__name__}({sizes[0] if sizes else ''})"

    def __repr__(self):
        return "\n".join(self._tree()) if self.children() else self.label

    def _tree(self) -> list[str]:
        """Return a line for this module, with how many parameters it has, and indented lines for those inside it."""
        n = self.n_parameters
        lines = [self.label + (f", {n:,} parameter{'s' * (n > 1)}" if n else "")]
        for name, module in self.members(Module):
            first, *inside = module._tree()
            lines += [f"  {name}: {first}", *(f"  {line}" for line in inside)]
        return lines

    def __call__(self, *inputs: Any) -> Any:
        """Return what `forward` returns."""
        return self.forward(*inputs)

    def forward(self, *inputs: Any) -> Any:
        """Return the output for inputs as the class describes them, and cache what `backward` needs."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, dy: Any) -> Any:
        """Return the gradients of the inputs, in forward's order; add those of the parameters to their `grad`.

        dy is the gradient of the output. Call forward, in train mode, once before each backward.
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward")

    def remember(self, y: Array, *values: Any) -> Array:
        """Cache `values` for backward, and the shape of y; return y."""
        if self.training:
            self._cache = np.shape(y), values
        return y

    def recall(self, dy: Array) -> tuple:
        """Take the cached values out. Raises an error without a forward, or when dy is not shaped like its output."""
        if self._cache is None:
            once = "call forward, in train mode, once before each backward, and use a layer in one place only"
            raise RuntimeError(f"{self.label}.backward has no cached forward: {once}")
        shape, values = self._cache
        got = getattr(dy, "shape", () if isinstance(dy, (int, float)) else type(dy).__name__)
        if got != shape:
            raise InputError(
                f"{self.label}.backward got shape {got}: expected that of the output, {shape}"
            )
        self._cache = None
        return values

    def forget(self) -> None:
        """Drop what backward would need, here and in all layers inside."""
        for module in self.modules():
            module._cache = None

    def members(self, kind: type) -> list[tuple]:
        """Return (name, value) for the attributes of this kind, and for the entries of lists and tuples of them."""
        members = []
        for name, value in vars(self).items():
            if isinstance(value, kind):
                members.append((name, value))
            elif isinstance(value, (list, tuple)):
                members += [
                    (f"{name}.{i}", entry)
                    for i, entry in enumerate(value)
                    if isinstance(entry, kind)
                ]
        return members

    def named_modules(self, prefix: str = "") -> list[tuple]:
        """Return (name, module) for this module and all inside it."""
        modules = [(prefix.rstrip("."), self)]
        for name, module in self.members(Module):
            modules += module.named_modules(f"{prefix}{name}.")
        return modules

    def modules(self) -> list["Module"]:
        """Return this module and all inside it."""
        return [module for _, module in self.named_modules()]

    def children(self) -> list["Module"]:
        """Return the modules directly inside this one."""
        return [module for _, module in self.members(Module)]

    def named_parameters(self) -> list[tuple]:
        """Return (name, parameter), each parameter once: a shared table goes by the first of its names."""
        parameters = {}
        for prefix, module in self.named_modules():
            for name, parameter in module.members(Parameter):
                parameters.setdefault(
                    id(parameter), (f"{prefix}.{name}" if prefix else name, parameter)
                )
        return list(parameters.values())

    def parameters(self) -> list[Parameter]:
        """Return each Parameter once."""
        return [parameter for _, parameter in self.named_parameters()]

    @property
    def n_parameters(self) -> int:
        """How many numbers the parameters have; those of a shared table count once."""
        return sum(parameter.data.size for parameter in self.parameters())

    def generators(self) -> list[np.random.Generator]:
        """Return each random generator (dropout's) once."""
        rngs = (rng for module in self.modules() for _, rng in module.members(np.random.Generator))
        return list({id(rng): rng for rng in rngs}.values())

    def train(self, mode: bool = True) -> "Module":
        """Switch to training mode (dropout on, cache for backward) or back; return self."""
        for module in self.modules():
            module.training = mode
        self.forget()
        return self

    def eval(self) -> "Module":
        """Switch to eval mode; return self."""
        return self.train(False)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Eval mode inside a with block."""
        before = [(module, module.training) for module in self.modules()]
        for module, _ in before:
            module.training = False
        try:
            yield
        finally:
            for module, training in before:
                module.training = training

    def zero_grad(self) -> None:
        """Set every gradient to zero, in place."""
        for parameter in self.parameters():
            parameter.grad.fill(0)

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter as a NumPy array, by name."""
        return {name: to_host(p.data).copy() for name, p in self.named_parameters()}

    def check_fits(self, state: dict[str, np.ndarray]) -> None:
        """Raise `InputError` unless `state` has floats, with the names and shapes of this module's parameters."""
        own = {name: p.data.shape for name, p in self.named_parameters()}
        shapes = {
            name: np.shape(array)
            for name, array in state.items()
            if np.asarray(array).dtype.kind == "f"
        }
        if differ := sorted(
            name for name in own.keys() | shapes.keys() if own.get(name) != shapes.get(name)
        ):
            name = differ[0]
            raise InputError(
                f"{len(differ)} weights do not fit this config, such as {name}: "
                f"got shape {shapes.get(name)}, expected {own.get(name)}"
            )

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        """Copy the arrays of `state` into the parameters of the same names."""
        self.check_fits(state)
        for name, parameter in self.named_parameters():
            parameter.data = state[name]
