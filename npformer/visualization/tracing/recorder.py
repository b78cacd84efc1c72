"""The records of a trace, one per layer, and the recorder that makes them."""

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...backend import to_host
from ...module import Module, Parameter
from .table import norm, statistics, text_table


@dataclass(eq=False, repr=False)
class Record:
    """What passed through one layer in its last call, as read-only NumPy arrays.

    What has not been recorded is None.

    Arguments:
        name: The name of the layer.
        layer: The layer.
        depth: How many modules deep it is inside the model.
        inputs: A named tuple of forward's arguments: `inputs.x` or `inputs[0]`.
        output: What forward returned.
        dy: The upstream gradient.
        dinputs: A named tuple of the gradients of the inputs, such as `dinputs.dx`.
        dparameters: The gradients of the layer's own parameters by name, as they are when the
            outermost backward ends: an embedding matrix that several layers share has one gradient,
            the sum over all of them.
    """

    name: str
    layer: Module
    depth: int
    inputs: Any = None
    output: Any = None
    dy: Any = None
    dinputs: Any = None
    dparameters: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, Any]:
        """Everything recorded, by name: forward's own names, output, dy, dx, dweight, ..."""
        arrays: dict[str, Any] = {}
        if self.inputs:
            arrays.update(self.inputs._asdict())
        arrays["output"] = self.output
        arrays["dy"] = self.dy
        if self.dinputs:
            arrays.update(self.dinputs._asdict())
        for name, gradient in self.dparameters.items():
            arrays[f"d{name}"] = gradient
        return arrays

    def __repr__(self) -> str:
        rows = [[name, *statistics(array), norm(array)] for name, array in self.arrays.items()]
        table = text_table(["", "shape", "mean", "std", "norm"], rows)
        return f"{self.name}: {self.layer.display_name}\n{table}"


class Recorder:
    """The records of all layers, in the order in which data last entered them.

    A layer inside the model has its dotted name, the model itself the name of its class.
    """

    def __init__(self, model: Module):
        self.model = model
        self.layers = {name or type(model).__name__: layer for name, layer in model.named_modules()}
        self.records: dict[str, Record] = {}
        self.open_backwards = 0

    def methods(self) -> Iterator[tuple[Module, str, Callable]]:
        """Yield what `wrap_methods` takes.

        This is the forward and backward of each layer, and what to call in their place.
        """
        for name, layer in self.layers.items():
            if hasattr(type(layer), "forward"):
                yield layer, "forward", partial(self._note_forward, name, layer)
            if hasattr(type(layer), "backward"):
                yield layer, "backward", partial(self._note_backward, name, layer)

    def _note_forward(self, name: str, layer: Module, forward: Callable, *args, **kwargs):
        if self.open_backwards:  # gradient checkpointing computes a forward again
            return forward(*args, **kwargs)
        record = self._new_record(name)
        record.inputs = _make_record("Inputs", _named_arguments(type(layer).forward, args, kwargs))
        y = forward(*args, **kwargs)
        record.output = copied(y)
        return y

    def _note_backward(self, name: str, layer: Module, backward: Callable, *args, **kwargs):
        dy = next(iter(_named_arguments(type(layer).backward, args, kwargs).values()), None)
        self.open_backwards += 1
        try:
            returned = backward(*args, **kwargs)
        finally:
            self.open_backwards -= 1
        record = self.records.get(name) or self._new_record(name)
        record.dy = dy
        gradients = returned if isinstance(returned, tuple) else (returned,)
        dinputs = {}
        for name, gradient in zip(_input_names(record), gradients, strict=False):
            dinputs[f"d{name}"] = copied(gradient)
        record.dinputs = _make_record("Gradients", dinputs)
        # a shared parameter has its whole gradient only when the outermost backward ends
        if not self.open_backwards:
            self._note_parameters(layer)
        return returned

    def _new_record(self, name: str) -> Record:
        """Put a new record at the end, in place of the layer's earlier one."""
        layer = self.layers[name]
        depth = 0
        if layer is not self.model:
            depth = sum(not part.isdigit() for part in name.split("."))  # an index adds no depth
        self.records.pop(name, None)
        self.records[name] = Record(name, layer, depth)
        return self.records[name]

    def _note_parameters(self, outermost: Module) -> None:
        """Add the gradients of parameters, now complete, to the records of their layers."""
        inside = {id(layer) for layer in outermost.modules()}
        for record in self.records.values():
            if id(record.layer) not in inside or record.dinputs is None:
                continue
            record.dparameters = {}
            for name, value in vars(record.layer).items():
                if isinstance(value, Parameter):
                    record.dparameters[name] = copied(value.grad)


def _input_names(record: Record) -> Sequence[str]:
    """Return the names of forward's arguments, also where no forward was recorded."""
    if record.inputs:
        return record.inputs._fields
    return list(inspect.signature(type(record.layer).forward).parameters)[1:]


def copied(value: Any) -> Any:
    """Return a read-only copy of an array on the host, or of each array in a tuple.

    Anything else is returned as it is.
    """
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    if not hasattr(value, "dtype"):
        return value
    # a copy: layers and optimizers change arrays in place
    array = np.array(to_host(value))
    array.flags.writeable = False
    return array


def _named_arguments(function: Callable, args: tuple, kwargs: dict) -> dict:
    """Return copies of the arguments of a method by name; those of *rest are rest_0, rest_1, ..."""
    signature = inspect.signature(function)
    bound = signature.bind(None, *args, **kwargs)
    bound.apply_defaults()
    arguments = {}
    for name, value in list(bound.arguments.items())[1:]:
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            for i, part in enumerate(value):
                arguments[f"{name}_{i}"] = copied(part)
        else:
            arguments[name] = copied(value)
    return arguments


def _make_record(kind: str, values: dict[str, Any]) -> tuple:
    """Return a named tuple."""
    # rename, because a named tuple takes no name that begins with an underscore
    return namedtuple(kind, values, rename=True)(*values.values())
