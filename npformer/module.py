"""Module, the base class of every layer, and Parameter, a trainable array with its gradient."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from .backend import (
    Array,
    describe_type,
    dtype_kind,
    is_float_array,
    read_only,
    to_device,
    to_host,
    xp,
)
from .utils import InputError

__all__ = ["Module", "Parameter"]


class Parameter:
    """A trainable array, `data`, and the gradient of the loss with respect to it, `grad`.

    Assigning to either copies values of the same shape into the array, which may be a view of an
    optimizer's buffer.

    Arguments:
        data: The array, of floats.

    Raises `InputError` when the data are not floats, or assigned values have another shape.

    >>> weight = Parameter(np.ones((2, 3)))
    >>> weight.data = np.zeros((2, 3))
    >>> weight.data.sum(), weight.grad.shape
    (np.float64(0.0), (2, 3))
    """

    def __init__(self, data: Any):
        self._data = to_device(data)
        if not is_float_array(self._data):
            raise InputError(
                f"a Parameter of type {self._data.dtype}: expected dtype='float32' or 'float64'"
            )
        self._grad: Any = None  # until it is used: a model that only predicts has none

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
        if self._grad is None:
            self._grad = xp.zeros_like(self._data)
        return self._grad

    @grad.setter
    def grad(self, values: Array) -> None:
        self._fill(self.grad, values)

    def _fill(self, array, values) -> None:
        if values is array:  # as it is after p.grad += ...
            return
        values = to_device(values)
        if values.shape != array.shape:
            raise InputError(f"{self} got values of shape {values.shape}: expected {array.shape}")
        array[...] = values

    def store_in(self, data: Array, grad: Array) -> None:
        """Keep data and gradient in these arrays from now on, such as slices of a buffer.

        Their values are those of the Parameter.
        """
        data[...] = self._data
        grad[...] = 0 if self._grad is None else self._grad
        self._data = data
        self._grad = grad

    def with_grad(self, grad: Array) -> "Parameter":
        """Return a Parameter that shares `data` with this one and has another gradient."""
        copy = Parameter.__new__(Parameter)
        copy._data = self._data
        copy._grad = grad
        return copy


class Module:
    """A layer: `forward`, and under it a `backward` written by hand.

    `forward` ends with `return self.remember(y, ...)`, which caches what `backward` needs and
    returns y; `backward(dy)` begins with `self.recall(dy)`, which takes the cache out again, once.

    The cached arrays are not copies, so they must not be changed in place between the two. In train
    mode y is therefore read-only: `y += 1` is an error, `y = y + 1` is right. Inputs stay writable,
    and `h += layer(h)` can spoil the gradient: `gradcheck` finds that.

    Parameters and layers are found in the attributes of an object, not of its class, and in lists,
    tuples and dictionaries of them, also nested ones. In eval mode nothing is dropped and nothing
    is cached.

    >>> from npformer.layers import Linear
    >>> class Doubled(Module):
    ...     def __init__(self, linear):
    ...         self.linear = linear
    ...
    ...     def forward(self, x):
    ...         return self.remember(2 * self.linear.forward(x))
    ...
    ...     def backward(self, dy):
    ...         self.recall(dy)
    ...         return self.linear.backward(2 * dy)
    >>> layer = Doubled(Linear(3, 4, rng=0))
    >>> y = layer(np.ones((5, 3), "float32"))
    >>> layer.backward(y).shape, [name for name, _ in layer.named_parameters()]
    ((5, 3), ['linear.weight', 'linear.bias'])
    """

    training = True
    _cache: tuple | None = None  # the shape of the output, and what backward needs

    def __setattr__(self, name: str, value: Any) -> None:
        # an array in the place of a Parameter would no longer be trained or saved
        if isinstance(vars(self).get(name), Parameter) and not isinstance(value, Parameter):
            raise InputError(
                f"{type(self).__name__}.{name} is a Parameter, got a {type(value).__name__}: "
                f"assign to {name}.data to change its values"
            )
        super().__setattr__(name, value)

    @property
    def display_name(self) -> str:
        """The layer's name in errors and tables, with the shape of its first parameter."""
        sizes = ""
        for _, parameter in self.members(Parameter):
            sizes = ", ".join(map(str, parameter.data.shape))
            break
        return f"{type(self).__name__}({sizes})"

    def __repr__(self):
        return "\n".join(self._tree(set())) if self.children() else self.display_name

    def _tree(self, shown: set[int]) -> list[str]:
        """Return a line for this module, with its number of parameters, and lines for those inside.

        `shown` holds the ids of modules that have their lines already.
        """
        shown.add(id(self))
        n = self.n_parameters
        line = self.display_name
        if n:
            line += f", {n:,} parameter" if n == 1 else f", {n:,} parameters"
        lines = [line]
        for name, module in self.members(Module):
            if id(module) in shown:
                continue
            first, *inside = module._tree(shown)
            lines.append(f"  {name}: {first}")
            for line_inside in inside:
                lines.append(f"  {line_inside}")
        return lines

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        """Return what `forward` returns. If it fails, backward has nothing to use."""
        try:
            return self.forward(*inputs, **keywords)
        except BaseException:
            # some layers inside cache this forward by now, and others still an earlier one
            self.forget()
            raise

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        """Return the output for inputs as the class describes them; cache what `backward` needs."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def backward(self, dy: Any) -> Any:
        """Return the gradients of the inputs, in forward's order.

        The gradients of the parameters are added to their `grad`. dy is the gradient of the output.
        Call forward, in train mode, once before each backward.
        """
        raise NotImplementedError(f"{type(self).__name__} has no backward")

    def remember(self, y: Any, *values: Any) -> Any:
        """Cache `values` for backward, and the shape of y; return y, which is then read-only."""
        if self.training:
            self._cache = np.shape(y), values
            y = read_only(y)
        return y

    def recall(self, dy: Any) -> tuple:
        """Take the cached values out.

        Raises RuntimeError without a forward, and `InputError` when dy is not shaped like its
        output, or is not of floats.
        """
        if self._cache is None:
            raise RuntimeError(
                f"{self.display_name}.backward has no cached forward: call forward, in train mode, "
                "once before each backward, and use a layer in one place only"
            )
        shape, values = self._cache
        # the gradient of a loss, which is a number without axes
        if isinstance(dy, (int, float)):
            got: Any = ()
        else:
            got = getattr(dy, "shape", type(dy).__name__)
        if got != shape:
            raise InputError(
                f"{self.display_name}.backward got shape {got}: "
                f"expected that of the output, {shape}"
            )
        # the sums over a batch would overflow in a narrow type
        if shape and not is_float_array(dy):
            raise InputError(
                f"{self.display_name}.backward got {describe_type(dy)}: "
                "expected an array of floats, such as dy.astype('float32')"
            )
        self._cache = None
        return values

    def forget(self) -> None:
        """Drop what backward would need, here and in all layers inside."""
        for module in self.modules():
            module._cache = None

    def members(self, kind: type) -> list[tuple]:
        """Return (name, value) for the attributes of this kind, also for those in containers.

        An entry of a container is named by its place: "layers.0", or "heads.left" in a dictionary.
        """
        attributes = dict(vars(self))
        attributes.pop("_cache", None)
        return _find(attributes.items(), kind)

    def named_modules(self, prefix: str = "") -> list[tuple]:
        """Return (name, module) for this module and all inside it, each module once."""
        modules: list[tuple] = []
        self._collect_modules(prefix.rstrip("."), modules, set())
        return modules

    def _collect_modules(self, name: str, modules: list[tuple], seen: set[int]) -> None:
        if id(self) in seen:  # it is used twice, or knows the layer that it is in
            return
        seen.add(id(self))
        modules.append((name, self))
        for key, module in self.members(Module):
            module._collect_modules(f"{name}.{key}" if name else key, modules, seen)

    def modules(self) -> list["Module"]:
        """Return this module and all inside it."""
        return [module for _, module in self.named_modules()]

    def children(self) -> list["Module"]:
        """Return the modules directly inside this one."""
        return [module for _, module in self.members(Module)]

    def named_parameters(self) -> list[tuple]:
        """Return (name, parameter), each once: a shared table has the first of its names."""
        parameters: dict[int, tuple] = {}
        for prefix, module in self.named_modules():
            for name, parameter in module.members(Parameter):
                full_name = f"{prefix}.{name}" if prefix else name
                parameters.setdefault(id(parameter), (full_name, parameter))
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
        generators = {}
        for module in self.modules():
            for _, rng in module.members(np.random.Generator):
                generators[id(rng)] = rng
        return list(generators.values())

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
        """Eval mode inside a with block.

        Blocks may overlap, as in two threads: the last one to end brings the mode back.
        """
        # not by eval(), which forgets what a backward that is still to come needs
        modules = self.modules()
        with _MODES_LOCK:
            for module in modules:
                n_open, before = _OPEN_BLOCKS.get(id(module), (0, module.training))
                _OPEN_BLOCKS[id(module)] = n_open + 1, before
                module.training = False
        try:
            yield
        finally:
            with _MODES_LOCK:
                for module in modules:
                    n_open, before = _OPEN_BLOCKS.pop(id(module))
                    if n_open > 1:
                        _OPEN_BLOCKS[id(module)] = n_open - 1, before
                    else:
                        module.training = before

    def astype(self, dtype: str) -> "Module":
        """Return a copy that computes in this type, "float32" or "float64".

        >>> from npformer.layers import Linear
        >>> Linear(2, 3).astype("float64").weight
        Parameter(shape=(2, 3), dtype=float64)
        """
        if dtype not in ("float32", "float64"):
            raise InputError(f"dtype = {dtype!r}: expected 'float32' or 'float64'")
        copy = deepcopy(self)
        copy.forget()
        for parameter in copy.parameters():
            # not by the setter, which keeps the type of the array that is there
            parameter._data = parameter._data.astype(dtype)
            if parameter._grad is not None:
                parameter._grad = parameter._grad.astype(dtype)
        for module in copy.modules():
            for name, value in vars(module).items():
                if dtype_kind(value) == "f":  # such as the table of sinusoids
                    setattr(module, name, value.astype(dtype))
            config: Any = getattr(module, "config", None)
            if hasattr(config, "dtype"):
                module.config = replace(config, dtype=dtype)
        return copy

    def zero_grad(self) -> None:
        """Set every gradient to zero, in place."""
        for parameter in self.parameters():
            parameter.grad.fill(0)

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter as a NumPy array, by name."""
        return {name: to_host(p.data).copy() for name, p in self.named_parameters()}

    def check_fits(self, state: dict[str, np.ndarray]) -> None:
        """Raise `InputError` unless `state` has floats with the parameters' names and shapes."""
        expected = {name: p.data.shape for name, p in self.named_parameters()}
        got = {}
        for name, array in state.items():
            if np.asarray(array).dtype.kind == "f":
                got[name] = np.shape(array)

        names = sorted(expected.keys() | got.keys())
        differing = []
        for name in names:
            if got.get(name) != expected.get(name):
                differing.append(name)
        if differing:
            name = differing[0]
            raise InputError(
                f"{len(differing)} of {len(names)} weights do not fit this "
                f"{type(self).__name__}, such as {name}: "
                f"got shape {got.get(name)}, expected {expected.get(name)}"
            )

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        """Copy the arrays of `state` into the parameters of the same names.

        Raises `InputError`, and changes nothing, when a name or a shape differs.
        """
        self.check_fits(state)
        for name, parameter in self.named_parameters():
            parameter.data = state[name]


# of the modules in an `evaluating` block: how many are open, and the mode before the first; by id,
# because a module that is a dataclass has no hash
_OPEN_BLOCKS: dict[int, tuple[int, bool]] = {}
_MODES_LOCK = Lock()


def _find(items: Iterable[tuple[Any, Any]], kind: type) -> list[tuple]:
    """Return (name, value) for the values of this kind, also inside containers."""
    found = []
    for name, value in items:
        if isinstance(value, kind):
            found.append((str(name), value))
            continue

        inside: Iterable[tuple[Any, Any]] = ()
        if isinstance(value, dict):
            inside = value.items()
        elif isinstance(value, (list, tuple)):
            inside = enumerate(value)
        for key, entry in _find(inside, kind):
            found.append((f"{name}.{key}", entry))
    return found
