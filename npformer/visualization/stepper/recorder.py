"""A recorder of every line that runs in the layers of a model, and of the arrays that it makes."""

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from ...module import Module, Parameter
from ...utils import InputError
from .array_store import ArrayStore, content_of
from .source_analysis import Function
from .tracing import start_tracing

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
# entries of a parameter whose update is recorded: all of them would make a page much larger
MOST_UPDATED = 2048


class MadeArray(NamedTuple):
    """An array that a line made or changed."""

    name: str
    kind: str  # argument, parameter, local, gradient (of a parameter), remembered (for backward) or returned
    number: int  # in the store


@dataclass
class Step:
    """A line that is about to run, or at the end of a call the return."""

    call: int
    line: int
    done: int  # the step from which on its arrays are there
    made: list[MadeArray] = field(default_factory=list)  # what a print after the line would show
    products: list[tuple] = field(
        default_factory=list
    )  # the texts of both factors, and their numbers in the store


@dataclass
class Call:
    """A call of a function of a layer, from step `first` to step `last`; `direction` is forward, backward or update."""

    module: str
    function: Function
    parent: int | None
    direction: str
    first: int
    last: int = 0


class Recorder:
    """Records lines inside a with block, as tracing.py reports them.

    Entered are the functions whose `self` is a layer of `root`, or the optimizer; `only` limits them to a layer and
    those in it.
    """

    def __init__(
        self, root: Module, *, only: str | None = None, optimizer=None, max_bytes: int = 64_000_000
    ):
        self.root, self.optimizer = root, optimizer
        short = {
            "": type(root).__name__,
            "model": type(getattr(root, "model", None)).__name__,
        }  # of an objective
        self.modules = {
            short.get(name, name.removeprefix("model.")): layer
            for name, layer in root.named_modules()
        }
        recorded = {
            n: layer
            for n, layer in self.modules.items()
            if only is None or f"{n}.".startswith(f"{only}.")
        }
        if not recorded:
            raise InputError(
                f"only = {only!r}: expected the name of a layer, such as {list(self.modules)[-1]}"
            )
        self.arrays = ArrayStore(max_bytes)
        parameters = {
            id(p): p for module in recorded.values() for _, p in module.members(Parameter)
        }
        self.arrays.check_size(
            2 * sum(p.data.nbytes for p in parameters.values()), "weights and gradients"
        )
        self.names = {id(module): name for name, module in reversed(recorded.items())}
        self.updated = [
            (name, p) for name, p in root.named_parameters() if p.data.size <= MOST_UPDATED
        ]
        if optimizer is not None:
            self.names[id(optimizer)] = type(optimizer).__name__
        self.functions: dict[CodeType, Function] = {}
        self.steps: list[Step] = []
        self.calls: list[Call] = []
        self.open_calls: list[int] = []

    def __enter__(self) -> "Recorder":
        self.stop_tracing = start_tracing(self._enter)
        return self

    def __exit__(self, *error) -> None:
        self.stop_tracing()

    def _enter(self, frame: FrameType, event: str, _):
        """Return what notes the lines of a function that is called, or None."""
        code = frame.f_code
        is_comprehension = (
            code.co_name.startswith("<") and code.co_name != "<lambda>"
        )  # in Python below 3.12
        owner = (
            None if code.co_flags & GENERATORS or is_comprehension else self._owner_of(frame, code)
        )
        return CallTracer(self, frame, owner) if id(owner) in self.names else None

    def _owner_of(self, frame: FrameType, code: CodeType):
        is_of_module = hasattr(Module, code.co_name) and code.co_name not in (
            "forward",
            "backward",
        )  # such as recall
        has_owner = "self" in (*code.co_varnames[:1], *code.co_freevars) and not is_of_module
        return frame.f_locals.get("self") if has_owner else None


class CallTracer:
    """Notes the lines of one call."""

    def __init__(self, recorder: Recorder, frame: FrameType, owner):
        self.recorder, self.owner, self.number = recorder, owner, len(recorder.calls)
        self.updates = owner is recorder.optimizer
        code, parent = frame.f_code, recorder.open_calls[-1] if recorder.open_calls else None
        if code not in recorder.functions:
            recorder.functions[code] = Function(code)
        self.function = recorder.functions[code]
        direction = "forward" if parent is None else recorder.calls[parent].direction
        direction = (
            "update" if self.updates else "backward" if code.co_name == "backward" else direction
        )
        recorder.open_calls.append(self.number)
        recorder.calls.append(
            Call(recorder.names[id(owner)], self.function, parent, direction, len(recorder.steps))
        )
        parameters = recorder.updated if self.updates else owner.members(Parameter)
        self.parameters = {name.removeprefix("model."): parameter for name, parameter in parameters}
        self.cache = vars(owner).get("_cache")
        self.before: dict = {}  # the arrays that were there after the line before, by name and kind
        self._begin(frame, done=len(recorder.steps))
        self._note_changes(frame, is_call=True)
        self.step = None

    def __call__(self, frame: FrameType, event: str, value) -> "CallTracer":
        """Note an event of the call, named as by `sys.settrace`."""
        if event in ("line", "return") and self.step:
            self.step.done = len(self.recorder.steps)
            self._note_changes(frame)
        if event == "line":
            self._begin(frame)
        elif event == "return":
            self._end(frame, value)
        return self

    def _begin(self, frame: FrameType, done: int = 0) -> None:
        self.step = Step(self.number, frame.f_lineno, done)
        self.recorder.steps.append(self.step)
        for factors in self.function.products.get(self.step.line, ()):
            try:
                values = [eval(factor, frame.f_globals, frame.f_locals) for factor in factors]
            except Exception:  # a name that is not there yet
                continue
            left, right = (getattr(value, "shape", ()) for value in values)
            is_plain = (
                len(right) == 2 or left[:-2] == right[:-2]
            )  # one matrix for all on the left, or pairs of them
            if is_plain and min(len(left), len(right)) > 1 and left[-1] == right[-2] > 0:
                numbers = [self.recorder.arrays.add(content_of(value)) for value in values]
                self.step.products.append((*factors, *numbers))

    def _note_changes(self, frame: FrameType, is_call: bool = False) -> None:
        """Note which arrays the line has made that ran last; at the beginning of a call, which there are."""
        assigned = () if is_call else self.function.assigned.get(self.step.line, ())
        for name, kind, array in self._arrays(frame, is_call):
            content = content_of(array)
            if self.before.get((name, kind)) != content[1:] or (
                kind == "local" and name in assigned
            ):
                self.before[name, kind] = content[1:]
                if not is_call or (kind != "gradient" and not self.updates):
                    kind = "argument" if is_call and kind == "local" else kind
                    self.step.made.append(MadeArray(name, kind, self.recorder.arrays.add(content)))

    def _end(self, frame: FrameType, value) -> None:
        steps = self.recorder.steps
        self.step = Step(self.number, self.step.line, len(steps), products=self.step.products)
        steps.append(self.step)
        values = value if isinstance(value, tuple) else (value,)
        names = self.function.returned.get(self.step.line, ["returned"])
        for name, array in _arrays_by_name("returned", names, values):
            self.step.made.append(
                MadeArray(name, "returned", self.recorder.arrays.add(content_of(array)))
            )
        self.recorder.calls[self.recorder.open_calls.pop()].last = len(steps) - 1

    def _arrays(self, frame: FrameType, is_call: bool) -> Iterator[tuple[str, str, Any]]:
        """Yield name, kind and value of every array that a line can change."""
        for name, value in () if self.updates else frame.f_locals.items():
            yield from ((part, "local", array) for part, array in _arrays_in(name, value))
        for name, parameter in self.parameters.items():
            if is_call or self.updates:  # no line of a layer changes it
                yield name, "parameter", parameter.data
            if not self.updates:
                yield f"{name}.grad", "gradient", parameter.grad
        cache = vars(self.owner).get("_cache")
        if cache is not None and cache is not self.cache:
            self.cache, names = cache, self.function.remembered.get(self.step.line, [])
            yield from (
                (name, "remembered", array)
                for name, array in _arrays_by_name("cache", names, cache[1])
            )


def _arrays_by_name(default: str, names: list[str], values: tuple) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in values by these names, or by others if there is another number of them."""
    names = names if len(names) == len(values) else [f"{default}[{i}]" for i in range(len(values))]
    for name, value in zip(names, values, strict=True):
        yield from _arrays_in(name, value)


def _arrays_in(name: str, value) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of real numbers or booleans in a value, with names such as `x` or `x[0]`; a float is one."""
    if isinstance(value, float):
        yield name, np.asarray(value)
    elif isinstance(value, (tuple, list)):
        for i, part in enumerate(value):
            yield from _arrays_in(f"{name}[{i}]", part) if hasattr(part, "dtype") else ()
    elif getattr(getattr(value, "dtype", None), "kind", "-") in "fiub":
        yield name, value
