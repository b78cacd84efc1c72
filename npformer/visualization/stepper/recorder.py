"""A recorder of every line that runs in the layers of a model, and of the arrays that it makes."""

import inspect
from collections.abc import Iterator, Sequence
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


class MadeArray(NamedTuple):
    """An array that a line made or changed.

    Arguments:
        name: Its name in the code.
        kind: argument, parameter, local, gradient (of a parameter), remembered (for backward) or
            returned.
        number: Its number in the store.
    """

    name: str
    kind: str
    number: int


@dataclass
class Step:
    """A line that is about to run, or at the end of a call the return.

    Arguments:
        call: The number of the call.
        line: The number of the line in its file.
        done: The number of the step before which its arrays were noted.
        made: What a print after the line would show.
        products: The matrix products in the line: the texts of both factors, and their numbers in
            the store.
    """

    call: int
    line: int
    done: int
    made: list[MadeArray] = field(default_factory=list)
    products: list[tuple] = field(default_factory=list)


@dataclass
class Call:
    """A call of a function of a layer.

    Arguments:
        module: The name of the layer.
        function: The function.
        parent: The number of the call that it is in.
        direction: forward, backward or update.
        first: Its first step.
        last: Its last step.
    """

    module: str
    function: Function
    parent: int | None
    direction: str
    first: int
    last: int = 0


class Recorder:
    """Records lines inside a with block, as tracing.py reports them.

    Entered are the functions whose `self` is a layer of `root`, or the optimizer.

    Arguments:
        root: The model, or an objective.
        only: The name of a layer, to which the recording is limited.
        optimizer: An optimizer, whose step is recorded too.
        max_bytes: The most bytes that the arrays may have.
    """

    def __init__(
        self,
        root: Module,
        *,
        only: str | None = None,
        optimizer: Any = None,
        max_bytes: int = 64_000_000,
    ):
        self.root = root
        self.optimizer = optimizer
        self.modules = _layers_by_name(root)
        recorded = {}
        for name, layer in self.modules.items():
            if only is None or f"{name}.".startswith(f"{only}."):
                recorded[name] = layer
        if not recorded:
            last_name = list(self.modules)[-1]
            raise InputError(f"only = {only!r}: expected the name of a layer, such as {last_name}")

        self.arrays = ArrayStore(max_bytes)
        parameters = {}
        for layer in recorded.values():
            for _, parameter in layer.members(Parameter):
                parameters[id(parameter)] = parameter
        n_bytes = 2 * sum(p.data.nbytes for p in parameters.values())
        what = "weights and gradients"
        self.updated = []
        if optimizer is not None:
            self.updated = list(root.named_parameters())
            n_bytes += sum(p.data.nbytes for _, p in self.updated)
            what = "weights before and after, and gradients"
        # before anything runs, because a large model would be found too large only after minutes
        self.arrays.check_size(n_bytes, what)

        self.names = {id(layer): name for name, layer in recorded.items()}
        if optimizer is not None:
            self.names[id(optimizer)] = type(optimizer).__name__
        self.functions: dict[CodeType, Function] = {}
        self.steps: list[Step] = []
        self.calls: list[Call] = []
        self.open_calls: list[int] = []

    def __enter__(self) -> "Recorder":
        self.stop_tracing = start_tracing(self._enter)
        return self

    def __exit__(self, *error: object) -> None:
        self.stop_tracing()

    def _enter(self, frame: FrameType, event: str, _: Any) -> "CallTracer | None":
        """Return what notes the lines of a function that is called, or None."""
        code = frame.f_code
        # a comprehension has a frame of its own in Python below 3.12; a generator is entered many
        # times, while calls are noted as open until they return
        is_comprehension = code.co_name.startswith("<") and code.co_name != "<lambda>"
        if is_comprehension or code.co_flags & GENERATORS:
            return None
        owner = self._owner_of(frame, code)
        if id(owner) not in self.names:
            return None
        return CallTracer(self, frame, owner)

    def _owner_of(self, frame: FrameType, code: CodeType) -> Any:
        """Return the `self` of a function that runs, None for a method of Module such as recall."""
        if hasattr(Module, code.co_name) and code.co_name not in ("forward", "backward"):
            return None
        if "self" not in (*code.co_varnames[:1], *code.co_freevars):
            return None
        return frame.f_locals.get("self")


def _layers_by_name(root: Module) -> dict[str, Module]:
    """Return all layers by name; those of an objective's model are named as in the model."""
    named = {}
    for name, layer in root.named_modules():
        if name == "":
            name = type(root).__name__
        elif name == "model":
            name = type(layer).__name__
        named[name.removeprefix("model.")] = layer
    return named


class CallTracer:
    """Notes the lines of one call."""

    def __init__(self, recorder: Recorder, frame: FrameType, owner: Any):
        self.recorder = recorder
        self.owner = owner
        self.number = len(recorder.calls)
        self.updates = owner is recorder.optimizer

        code = frame.f_code
        if code not in recorder.functions:
            recorder.functions[code] = Function(code)
        self.function = recorder.functions[code]
        # the call that is still running is the one that called this one
        parent = recorder.open_calls[-1] if recorder.open_calls else None
        direction = self._direction(parent)
        recorder.open_calls.append(self.number)
        name = recorder.names[id(owner)]
        recorder.calls.append(Call(name, self.function, parent, direction, len(recorder.steps)))

        parameters = recorder.updated if self.updates else owner.members(Parameter)
        self.parameters = {}
        for path, parameter in parameters:
            self.parameters[path.removeprefix("model.")] = parameter
        self.cache = vars(owner).get("_cache")
        self.before: dict = {}  # the arrays that were there after the line before
        self.step = self._begin(frame, done=len(recorder.steps))
        self._note_arguments(frame)
        self.is_running = False  # whether a line has begun, whose arrays are noted at its end

    def _direction(self, parent: int | None) -> str:
        """Return the direction of the call, which may be that of the call it is in."""
        if self.updates:
            return "update"
        if self.function.name == "backward":
            return "backward"
        return "forward" if parent is None else self.recorder.calls[parent].direction

    def __call__(self, frame: FrameType, event: str, value: Any) -> "CallTracer":
        """Note an event of the call, named as by `sys.settrace`."""
        if event in ("line", "return") and self.is_running:
            self.step.done = len(self.recorder.steps)
            self._note_changes(frame)
        if event == "line":
            self.step = self._begin(frame)
            self.is_running = True
        elif event == "return":
            self._end(value)
        return self

    def _begin(self, frame: FrameType, done: int = 0) -> Step:
        """Return the step of a line that is about to run, with its matrix products."""
        step = Step(self.number, frame.f_lineno, done)
        self.recorder.steps.append(step)
        for factors in self.function.products.get(step.line, ()):
            try:
                # safe, because source_analysis.py has noted only factors that name and cut arrays
                values = [eval(factor, frame.f_globals, frame.f_locals) for factor in factors]
            except Exception:  # a name that is not there yet
                continue
            if _is_plain_product(*values):
                numbers = [self.recorder.arrays.add(content_of(value)) for value in values]
                step.products.append((*factors, *numbers))
        return step

    def _note_arguments(self, frame: FrameType) -> None:
        """Note which arrays there are at the beginning of the call."""
        for name, kind, array in self._arrays(frame, with_parameters=True):
            content = content_of(array)
            self.before[name, kind] = content.key
            # gradients and updated parameters are shown only where a line changes them
            if kind == "gradient" or self.updates:
                continue
            if kind == "local":
                kind = "argument"
            number = self.recorder.arrays.add(content)
            self.step.made.append(MadeArray(name, kind, number))

    def _note_changes(self, frame: FrameType) -> None:
        """Note which arrays the last line made or changed."""
        assigned = self.function.assigned.get(self.step.line, ())
        for name, kind, array in self._arrays(frame, with_parameters=self.updates):
            content = content_of(array)
            has_changed = self.before.get((name, kind)) != content.key
            # an assignment is shown even if it makes an equal array
            is_assigned = kind == "local" and name in assigned
            if has_changed or is_assigned:
                self.before[name, kind] = content.key
                number = self.recorder.arrays.add(content)
                self.step.made.append(MadeArray(name, kind, number))

    def _end(self, value: Any) -> None:
        """Note the return of the call."""
        steps = self.recorder.steps
        line = self.step.line
        self.step = Step(self.number, line, len(steps), products=self.step.products)
        steps.append(self.step)
        values = value if isinstance(value, tuple) else (value,)
        names = self.function.returned.get(line, ["returned"])
        for name, array in _arrays_by_name("returned", names, values):
            number = self.recorder.arrays.add(content_of(array))
            self.step.made.append(MadeArray(name, "returned", number))
        number_of_call = self.recorder.open_calls.pop()
        self.recorder.calls[number_of_call].last = len(steps) - 1

    def _arrays(self, frame: FrameType, *, with_parameters: bool) -> Iterator[tuple[str, str, Any]]:
        """Yield name, kind and value of every array that a line can change.

        No line of a layer changes a parameter: they are yielded at the beginning of a call, and
        in an update.
        """
        if not self.updates:
            for name, value in frame.f_locals.items():
                for part, array in _arrays_in(name, value):
                    yield part, "local", array
        for name, parameter in self.parameters.items():
            if with_parameters:
                yield name, "parameter", parameter.data
            if not self.updates:
                yield f"{name}.grad", "gradient", parameter.grad
        cache = vars(self.owner).get("_cache")
        if cache is not None and cache is not self.cache:
            self.cache = cache
            names = self.function.remembered.get(self.step.line, [])
            for name, array in _arrays_by_name("cache", names, cache[1]):
                yield name, "remembered", array


def _is_plain_product(left: Any, right: Any) -> bool:
    """Return whether left @ right is one matrix for all on the left, or pairs of matrices."""
    left_shape: tuple[int, ...] = getattr(left, "shape", ())
    right_shape: tuple[int, ...] = getattr(right, "shape", ())
    if len(left_shape) < 2 or len(right_shape) < 2:
        return False
    if len(right_shape) > 2 and left_shape[:-2] != right_shape[:-2]:
        return False
    return left_shape[-1] == right_shape[-2] > 0


def _arrays_by_name(
    default: str, names: Sequence[str], values: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in values by these names; by others if their number differs."""
    if len(names) != len(values):
        names = [f"{default}[{i}]" for i in range(len(values))]
    for name, value in zip(names, values, strict=True):
        yield from _arrays_in(name, value)


def _arrays_in(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the arrays of real numbers or booleans in a value; a float is one.

    Their names are such as `x` or `x[0]`.
    """
    if isinstance(value, float):
        yield name, np.asarray(value)
    elif isinstance(value, tuple | list):
        for i, part in enumerate(value):
            if hasattr(part, "dtype"):
                yield from _arrays_in(f"{name}[{i}]", part)
    elif isinstance(getattr(value, "dtype", None), np.dtype) and value.dtype.kind in "fiub":
        yield name, value
