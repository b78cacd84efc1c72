"""Module: what every layer is made of; and Parameter, which base/parameter.py has."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from .base import CONTAINERS, HERE, InputError, Parameter, Switches, found_in, switched_here, to_host

__all__ = ["Module", "Parameter"]


WHY_NOTHING = {
    "fresh": "came before forward: call forward before each backward",
    "off": "has nothing to work from, for forward ran with remembering off (eval mode): call train() before forward",
    "taken": "came twice after one forward: call forward before each backward",
    "replaced": "came twice, and of two forwards before it only the second is remembered: a layer that is used in two "
    "places must be two layers",
}


class Module:
    """A layer: `forward`, and under it a `backward` written by hand.

    `forward` ends with `return self.remember(y, ...)`, which leaves what `backward` needs and returns y; `backward(dy)`
    begins with `self.recall(dy)`, which takes it out, once, and checks that dy has the shape of y. Parameters, Modules
    and random generators are found by name in attributes, and in lists, tuples and dicts of them.

    >>> class Double(Module):
    ...     def forward(self, x):
    ...         return self.remember(2 * x)
    ...     def backward(self, dy):
    ...         self.recall(dy)
    ...         return 2 * dy
    >>> double = Double()
    >>> double.forward(3.0), double.backward(1.0)
    (6.0, 2.0)
    >>> double.backward(1.0)
    Traceback (most recent call last):
    RuntimeError: Double().backward came twice after one forward: call forward before each backward
    """

    keeps_output = True  # whether someone needs what forward returned as it was; a class that knows better says False
    switches = Switches()
    _memory = None  # the shape of the output, and what backward needs
    _why_nothing = "fresh"

    @property
    def label(self) -> str:
        """The layer in a word, for errors and tables."""
        return f"{type(self).__name__}()"

    def __repr__(self):
        lines = []
        for name, module in self.named_modules():
            n = sum(p.data.size for p in module.parameters())
            where = f"{'  ' * (name.count('.') + 1)}{name.rpartition('.')[2]}: " if name else ""
            lines.append(f"{where}{module.label}" + (f", {n:,} parameter{'s' * (n > 1)}" if n else ""))
        return "\n".join(lines) if len(lines) > 1 else self.label

    @property
    def now(self) -> Switches:
        """The switches that hold in this thread."""
        return HERE.switches.get(id(self), self.switches)

    def remember(self, y, *values):
        """Leave `values` for backward, which will be given a gradient like y; return y."""
        if self.now.remember:
            self._why_nothing = "taken" if self._memory is None else "replaced"
            self._memory = getattr(y, "shape", ()), values
        elif self._memory is None:
            self._why_nothing = "off"
        return y

    def recall(self, dy) -> tuple:
        """Take out what forward left, for a gradient dy that must have the shape of forward's output.

        Raises RuntimeError when there is nothing, and says why; `InputError` when dy has another shape.
        """
        if self._memory is None:
            raise RuntimeError(f"{self.label}.backward {WHY_NOTHING[self._why_nothing]}")
        shape, values = self._memory
        if getattr(dy, "shape", () if isinstance(dy, (int, float)) else None) != shape:
            came = f"shape {dy.shape}" if hasattr(dy, "shape") else f"a {type(dy).__name__}"
            raise InputError(f"{self.label}.backward got {came}: expected the shape of forward's output, {shape}")
        self._memory = None
        return values

    def named_modules(self, prefix: str = "", *, _above: tuple = ()) -> list[tuple[str, "Module"]]:
        """Return this module and all inside it, with their dotted names, in the order of their making."""
        if any(self is module for module in _above):
            raise InputError(f"{self.label} holds itself, as {prefix.rstrip('.')}: a layer cannot be inside itself")
        found = [(prefix.rstrip("."), self)]
        for name, value in self.members(Module):
            found += value.named_modules(f"{prefix}{name}.", _above=(*_above, self))
        return found

    def members(self, kind: type) -> list[tuple[str, object]]:
        """Return what is of this kind in the attributes, and in lists, tuples and dicts there, by dotted names."""
        found = []
        for name, value in vars(self).items():
            if isinstance(value, kind):
                found.append((name, value))
            elif isinstance(value, CONTAINERS) and name != "_memory":
                found += found_in(name, value, kind)
        return found

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """Yield each Parameter once, under the first of its names: a shared table comes up a single time."""
        seen, names = set(), set()
        for prefix, module in self.named_modules():
            for own, value in module.members(Parameter):
                if id(value) not in seen:
                    name = f"{prefix}.{own}" if prefix else own
                    if name in names:
                        raise InputError(f"two parameters are called {name}, by keys such as 1 and '1': choose others")
                    seen.add(id(value))
                    names.add(name)
                    yield name, value

    def parameters(self) -> list[Parameter]:
        """Return each Parameter once."""
        return [parameter for _, parameter in self.named_parameters()]

    def generators(self) -> list[np.random.Generator]:
        """Return each random generator that forward draws from (dropout's) once."""
        found = (rng for _, module in self.named_modules() for _, rng in module.members(np.random.Generator))
        return list({id(rng): rng for rng in found}.values())

    def train(self, mode: bool = True) -> "Module":
        """Switch to training mode, from here on: drop out, and remember what backward needs."""
        for _, module in self.named_modules():
            module.switches = Switches(mode, mode)
            module._memory, module._why_nothing = None, "fresh" if mode else "off"
        return self

    def eval(self) -> "Module":
        """Switch to eval mode: nothing is dropped, and nothing is remembered."""
        return self.train(False)

    @contextmanager
    def switched(self, *, drop_out: bool, remember: bool) -> Iterator[None]:
        """Have these two switches in a with block, in this thread alone: to no other thread does anything change.

        What a forward before the block has left for its backward stays there. `switched(drop_out=False, remember=True)`
        gives a gradient without dropout.
        """
        wanted = Switches(drop_out, remember)
        inside_one_of_its_kind = HERE.innermost == (id(self), wanted)  # which costs nothing
        modules = [] if inside_one_of_its_kind else self.named_modules()
        with switched_here({id(module): wanted for _, module in modules}, (id(self), wanted)):
            yield

    def evaluating(self):
        """Neither drop out nor remember, in a with block, in this thread alone."""
        return self.switched(drop_out=False, remember=False)

    def zero_grad(self) -> None:
        """Set every gradient to zero, in place."""
        for parameter in self.parameters():
            parameter.grad.fill(0)

    def state_dict(self) -> dict[str, np.ndarray]:
        """Return a copy of every parameter as a NumPy array under its name."""
        return {name: to_host(p.data).copy() for name, p in self.named_parameters()}

    def check_fits(self, state: dict[str, np.ndarray]) -> None:
        """Raise `InputError` when a name in `state` is missing or unknown, a shape differs, or there are no numbers."""
        own = dict(self.named_parameters())
        for problem, names in (("lack", own.keys() - state.keys()), ("have unknown", state.keys() - own.keys())):
            if names:
                shown = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
                raise InputError(f"these weights {problem} {shown}: were they saved from a model of another config?")
        for name, parameter in own.items():
            if np.shape(state[name]) != parameter.data.shape:
                came = f"{name} came with shape {np.shape(state[name])}, expected {parameter.data.shape}"
                raise InputError(f"{came}: build the model with the config that the weights were saved with")
            if (kind := np.asarray(state[name]).dtype).kind not in "fiu":
                raise InputError(f"{name} came with numbers of type {kind}: expected floats")

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        """Copy the arrays of `state` into the parameters of the same names.

        Raises `InputError`, and changes nothing, when a name is missing or unknown, a shape differs, or what came are
        no real numbers.
        """
        self.check_fits(state)
        for name, parameter in self.named_parameters():
            parameter.data = state[name]
