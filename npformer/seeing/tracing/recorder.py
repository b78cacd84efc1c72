"""Taking notes of what passes through the layers of a model."""

from collections.abc import Callable, Iterator
from functools import partial

from ...module import Module, Parameter
from .arguments import argument_names, named, named_arguments, named_gradients
from .copies import Copies
from .record import Record


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
        """Run forward, and begin a new record of this layer."""
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
        names = record.inputs._fields if record.inputs else argument_names(type(layer).forward)
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
