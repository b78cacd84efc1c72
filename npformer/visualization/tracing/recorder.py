"""Taking notes of what passes through the layers of a model."""

import inspect
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ...module import Module, Parameter
from .record import Record
from .snapshots import Copies


class Recorder:
    """The records of all layers, in the order in which data last entered them, and the notes that make them.

    A layer inside the model goes by its dotted name, the model itself by the name of its class.
    """

    def __init__(self, model: Module):
        self.model = model
        self.layers = {name or type(model).__name__: layer for name, layer in model.named_modules()}
        self.names = {id(layer): name for name, layer in reversed(self.layers.items())}
        self.records: dict[str, Record] = {}
        self.copies = Copies()
        self.open_backwards = 0

    def methods(self) -> Iterator[tuple[Module, str, Callable]]:
        """Yield what `wrapped` takes: each layer's forward and backward, and the note to call in their place."""
        for name, layer in self.layers.items():
            if self.names[id(layer)] == name:
                for method, note in (("forward", self.note_forward), ("backward", self.note_backward)):
                    if hasattr(type(layer), method):
                        yield layer, method, partial(note, name, layer)

    def note_forward(self, name: str, layer: Module, plain: Callable, *args, **kwargs):
        """Run forward, and begin a new record of this layer, unless a backward works its forward out again."""
        if self.open_backwards:
            return plain(*args, **kwargs)
        record = self.new_record(name)
        inputs = named_arguments(type(layer).forward, args, kwargs)
        record.inputs = named("Inputs", {key: self.copies.of(value) for key, value in inputs.items()})
        y = plain(*args, **kwargs)
        record.output = self.copies.of(y)
        return y

    def note_backward(self, name: str, layer: Module, plain: Callable, *args, **kwargs):
        """Run backward, and add to the record what came and what went; after the outermost, the parameters too."""
        [dy, *_] = [*named_arguments(type(layer).backward, args, kwargs).values(), None]
        dy = self.copies.of(dy)
        self.open_backwards += 1
        try:
            returned = plain(*args, **kwargs)
        finally:
            self.open_backwards -= 1
        record = self.records.get(name) or self.new_record(name)
        record.dy = dy
        # Where forward ran before the trace began, its signature names what went in.
        names = record.inputs._fields if record.inputs else [*inspect.signature(type(layer).forward).parameters][1:]
        record.dinputs = named_gradients(names, self.copies.of(returned))
        if not self.open_backwards:
            self.note_parameters(layer)
        return returned

    def new_record(self, name: str) -> Record:
        """Put a fresh record at the end, in place of the layer's earlier one; numbers of a list count for no depth."""
        earlier = self.records.pop(name, None)
        layer, parent = self.layers[name], self.layers.get(name.rpartition(".")[0], self.model)
        depth = 0 if layer is self.model else sum(not part.isdigit() for part in name.split("."))
        self.records[name] = Record(name, layer, parent, depth, earlier.calls + 1 if earlier else 1)
        return self.records[name]

    def note_parameters(self, outermost: Module) -> None:
        """Add the gradients of parameters, now complete, to the records of the layers that own them."""
        gradients = {id(p): self.copies.of(p.grad) for p in outermost.parameters()}
        for _, layer in outermost.named_modules():
            record = self.records.get(self.names.get(id(layer)))
            if record and record.dinputs is not None:
                own = [(name, p) for name, p in vars(layer).items() if isinstance(p, Parameter)]
                record.dparameters = {name: gradients[id(p)] for name, p in own}


def named_arguments(function, args: tuple, kwargs: dict) -> dict:
    """Return the arguments of a call by name, in the order of the function's own; `function` has a self, `args` none.

    What *rest took comes as rest_0, rest_1, ... Arguments that do not fit come as input_0, input_1, ...

    >>> def forward(self, x, memory, *context, mask=None): pass
    >>> named_arguments(forward, (1, 2, 3), {"mask": 4})
    {'x': 1, 'memory': 2, 'context_0': 3, 'mask': 4}
    """
    signature = inspect.signature(function)
    try:
        bound = signature.bind(None, *args, **kwargs)
    except TypeError:
        return {f"input_{i}": value for i, value in enumerate(args)} | kwargs
    bound.apply_defaults()
    found = {}
    for name, value in list(bound.arguments.items())[1:]:
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found |= {f"{name}_{i}": part for i, part in enumerate(value)}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found |= value
        else:
            found[name] = value
    return found


def named_gradients(names: Sequence[str], returned) -> tuple:
    """Return the gradients of the inputs as a named tuple: that of x is dx. `returned` is what backward returned.

    >>> named_gradients(["x", "memory", "mask"], (1.0, 2.0))
    Gradients(dx=1.0, dmemory=2.0)
    """
    returned = returned if isinstance(returned, tuple) else (returned,)
    names = [*names, *(f"input_{i}" for i in range(len(names), len(returned)))][: len(returned)]
    return named("Gradients", {f"d{name}": gradient for name, gradient in zip(names, returned, strict=True)})


def named(kind: str, values: dict) -> tuple:
    """Return values as a named tuple."""
    return namedtuple(kind, values, rename=True)(*values.values())
