"""A recorder of every line that runs in the layers of a model, and of the arrays that it makes."""

import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from ...module import Module, Parameter
from ...utils import InputError
from .array_store import ArrayStore, content_of, too_large
from .source import Function

MAX_BYTES = 64_000_000
NOT_ENTERED = ("<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>")  # in Python below 3.12 they are functions
GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Made(NamedTuple):
    """An array that a line made or changed: `number` is its place in the store.

    `kind` is argument, parameter, local, gradient (of a parameter), remembered (for backward) or returned.
    """

    name: str
    kind: str
    number: int


class Product(NamedTuple):
    """The two factors of a matrix product: their text, and their places in the store."""

    texts: tuple[str, str]
    numbers: tuple[int, int]


@dataclass
class Step:
    """A line that is about to run, or at the end of a call the return. `line` counts from 1 in the file.

    `made` is what a print after the line would show; it is there from step number `done` on.
    """

    call: int
    line: int
    done: int = 0
    made: list[Made] = field(default_factory=list)
    products: list[Product] = field(default_factory=list)


@dataclass
class Call:
    """A call of a function of a layer. `direction` is forward, backward or update."""

    module: str
    function: Function
    parent: int | None
    direction: str
    first: int
    last: int = 0


class Recorder:
    """Records lines inside a with block, by `sys.settrace`, which is as before at its end.

    Entered are the functions whose `self` is a layer of `root`, or the optimizer; `only` limits them to a layer and
    those in it. `computed` says of a parameter's gradient how the page can compute it from smaller arrays.
    """

    def __init__(self, root: Module, *, only: str | None = None, optimizer=None, max_bytes: int = MAX_BYTES):
        self.root, self.only, self.optimizer = root, only, optimizer
        self.modules = display_names(root)
        names = [name for name in self.modules if self._is_wanted(name)]
        if not names:
            raise InputError(f"only = {only!r}: expected the name of a layer, such as {[*self.modules][-1]}")
        n_bytes = 2 * sum(p.data.nbytes for name in names for _, p in self.modules[name].members(Parameter))
        if n_bytes > max_bytes:
            raise too_large(f"{n_bytes / 1e6:,.0f} MB of weights and gradients, at most {max_bytes / 1e6:.0f} MB")
        self.names = {id(module): name for name, module in reversed(self.modules.items())}
        if optimizer is not None:
            self.names[id(optimizer)] = type(optimizer).__name__
        self.functions: dict[CodeType, Function] = {}
        self.steps: list[Step] = []
        self.calls: list[Call] = []
        self.arrays = ArrayStore(max_bytes)
        self.computed: dict[int, tuple] = {}
        self.open_calls: list[int] = []
        self.gradients: dict[int, int] = {}  # the last array of each parameter's gradient, by the parameter's id

    def __enter__(self) -> "Recorder":
        self.previous = sys.gettrace()
        sys.settrace(self._enter)
        return self

    def __exit__(self, *error) -> None:
        sys.settrace(self.previous)

    def checksums_of_weights(self) -> dict[str, bytes]:
        """Return a checksum of each parameter."""
        return {name: content_of(p.data).checksum for name, p in self.root.named_parameters()}

    def _is_wanted(self, name: str) -> bool:
        return self.only is None or name == self.only or name.startswith(f"{self.only}.")

    def _enter(self, frame: FrameType, event: str, _):
        """Return what notes the lines of a function that is called, or None."""
        code = frame.f_code
        if code.co_flags & GENERATORS or code.co_name in NOT_ENTERED:
            return None
        if "self" not in (*code.co_varnames[:1], *code.co_freevars):
            return None
        owner = frame.f_locals.get("self")
        name = self.names.get(id(owner))
        if name is None or frame.f_globals.get("__name__") == Module.__module__:
            return None
        if owner is not self.optimizer and not self._is_wanted(name):
            return None
        if isinstance(getattr(type(owner), code.co_name, None), property):
            return None
        return CallTracer(self, frame, owner, name)


class CallTracer:
    """Notes the lines of one call."""

    def __init__(self, recorder: Recorder, frame: FrameType, owner, name: str):
        self.recorder, self.owner, self.number = recorder, owner, len(recorder.calls)
        code = frame.f_code
        if code not in recorder.functions:
            recorder.functions[code] = Function(code)
        self.function = recorder.functions[code]
        parent = recorder.open_calls[-1] if recorder.open_calls else None
        direction = "forward" if parent is None else recorder.calls[parent].direction
        if owner is recorder.optimizer:
            direction = "update"
        elif code.co_name == "backward":
            direction = "backward"
        recorder.open_calls.append(self.number)
        recorder.calls.append(Call(name, self.function, parent, direction, len(recorder.steps)))
        self.parameters = dict(owner.members(Parameter)) if isinstance(owner, Module) else {}
        self.weights = recorder.checksums_of_weights() if owner is recorder.optimizer else {}
        self.cache = vars(owner).get("_cache")
        self.before = {}  # the arrays that were there after the line before, by name and kind
        recorder.steps.append(Step(self.number, frame.f_lineno, len(recorder.steps)))
        self.step = recorder.steps[-1]
        self._note_changes(frame, is_call=True)
        self.step = None  # the line that has begun

    def __call__(self, frame: FrameType, event: str, value) -> "CallTracer":
        """Note an event of the call, which `sys.settrace` names."""
        if event in ("line", "return") and self.step:
            self.step.done = len(self.recorder.steps)
            self._note_changes(frame)
        if event == "line":
            self._begin(frame, frame.f_lineno)
        elif event == "return":
            self._end(frame, value)
        return self

    def _begin(self, frame: FrameType, line: int) -> None:
        self.step = Step(self.number, line)
        for left, right in self.function.products.get(line, ()):
            try:
                factors = [eval(factor.code, frame.f_globals, frame.f_locals) for factor in (left, right)]
            except Exception:  # a name that is not there yet
                continue
            if all(getattr(factor, "ndim", 0) > 1 for factor in factors):
                numbers = [self.recorder.arrays.add(content_of(factor)) for factor in factors]
                self.step.products.append(Product((left.text, right.text), tuple(numbers)))
        self.recorder.steps.append(self.step)

    def _note_changes(self, frame: FrameType, is_call: bool = False) -> None:
        """Note which arrays the line has made that ran last; at the beginning of a call, which there are."""
        assigned = () if is_call else self.function.assigned.get(self.step.line, ())
        for name, kind, array in self._arrays(frame, is_call):
            content = content_of(array)
            key = content.shape, content.strides, content.checksum
            if self.before.get((name, kind)) != key or (kind == "local" and name in assigned):
                self.before[name, kind] = key
                if not is_call:
                    self._make(name, kind, content)
                elif kind != "gradient":
                    self._make(name, "argument" if kind == "local" else kind, content)

    def _end(self, frame: FrameType, value) -> None:
        recorder = self.recorder
        self.step = Step(self.number, self.step.line, len(recorder.steps), products=self.step.products)
        recorder.steps.append(self.step)
        names = self.function.returned.get(self.step.line, ["returned"])
        values = value if isinstance(value, tuple) else (value,)
        names = names if len(names) == len(values) else [f"returned[{i}]" for i in range(len(values))]
        for name, part in zip(names, values, strict=True):
            for part_name, array in arrays_in(name, part):
                self._make(part_name, "returned", content_of(array))
        if self.owner is recorder.optimizer:
            for name, parameter in recorder.root.named_parameters():
                content = content_of(parameter.data)
                if self.weights[name] != content.checksum:
                    self._make(name.removeprefix("model."), "parameter", content)
        recorder.calls[self.number].last = len(recorder.steps) - 1
        recorder.open_calls.pop()

    def _make(self, name: str, kind: str, content) -> None:
        number = self.recorder.arrays.add(content)
        self.step.made.append(Made(name, kind, number))
        if kind == "gradient":
            self._note_gradient(self.parameters[name.removesuffix(".grad")], number)

    def _note_gradient(self, parameter: Parameter, number: int) -> None:
        """Note whether a gradient is the product in its line, or the gradient before with some other rows."""
        arrays, before = self.recorder.arrays, self.recorder.gradients.get(id(parameter))
        gradient = arrays[number]
        if len(self.step.products) == 1:
            left, right = (arrays[factor] for factor in self.step.products[0].numbers)
            if np.array_equal(left @ right, gradient):
                self.recorder.computed[number] = ("product", *self.step.products[0].numbers)
        elif before is not None and gradient.ndim == 2:
            rows = np.flatnonzero((arrays[before] != gradient).any(1))
            if 2 * len(rows) < len(gradient) and before != number:
                values = arrays.add(content_of(gradient[rows]))
                self.recorder.computed[number] = ("rows", before, rows.tolist(), values)
        self.recorder.gradients[id(parameter)] = number

    def _arrays(self, frame: FrameType, is_call: bool) -> Iterator[tuple[str, str, Any]]:
        """Yield name, kind and value of every array that a line can change."""
        if self.owner is self.recorder.optimizer:
            return
        for name, value in frame.f_locals.items():
            for part_name, array in arrays_in(name, value):
                yield part_name, "local", array
        for name, parameter in self.parameters.items():
            yield f"{name}.grad", "gradient", parameter.grad
            if is_call:  # no line of a layer changes it
                yield name, "parameter", parameter.data
        cache = vars(self.owner).get("_cache")
        if cache is not None and cache is not self.cache:
            names = self.function.remembered.get(self.step.line, [])
            _, values = self.cache = cache
            names = names if len(names) == len(values) else [f"cache[{i}]" for i in range(len(values))]
            for name, value in zip(names, values, strict=True):
                for part_name, array in arrays_in(name, value):
                    yield part_name, "remembered", array


def display_names(root: Module) -> dict[str, Module]:
    """Return all layers by name. Those of an objective's model have the names that they have in the model."""
    found = {}
    for name, module in root.named_modules():
        short = name.removeprefix("model.") if name != "model" else type(module).__name__
        found[short or type(root).__name__] = module
    return found


def arrays_in(name: str, value) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of real numbers or booleans in a value, with names such as `x` or `x[0]`; a float is one."""
    if isinstance(value, float):
        yield name, np.asarray(value)
    elif isinstance(value, (tuple, list)):
        for i, part in enumerate(value):
            if hasattr(part, "dtype"):
                yield from arrays_in(f"{name}[{i}]", part)
    elif getattr(getattr(value, "dtype", None), "kind", "") in tuple("fiub"):
        yield name, value
