"""A trace: every layer's record, as a table to read and a path to walk along."""

from collections.abc import Iterator
from contextlib import ExitStack
from difflib import get_close_matches
from numbers import Integral

from ...module import Module
from ...utils import InputError
from ..dense_maps import with_weights
from ..hooks import wrapped
from .record import Record
from .recorder import Recorder
from .table import Table, Tabled, figures, norm

NOTHING = "nothing has passed yet: call the model's forward inside the with block"
NOTE = "mean, spread (standard deviation): of the output; gradient: norm of what came back to the output"


def trace(model: Module, *, depth: int | None = 3) -> "Trace":
    """Record what passes through every layer of a model, or of a single layer, inside a with block.

    The trace prints as a table in the order in which the data passed; `t[name]` is a layer's `Record`; `t.first()`,
    `t.next()`, `t.back()`, `t.last()` and `t.go(name)` walk along it, and `t.here` is where one stands. Table and walk
    go down to `depth` modules inside the model, 3 being the boxes of figure 1 in a Transformer, and None all; by name
    every layer is there. The model itself goes by the name of its class.

    Of each layer the last call is recorded: a second forward begins anew, and takes the gradients of the first away.
    The forward that layers with `recompute` run once more inside their backward counts for none.
    Eval mode, a forward without a backward, and sub-layers that are called on their own are recorded as they come. A
    forward that fails leaves a record without output. Several traces may be nested. Layers that have been copied (by
    `Replicas`) are not recorded. Attention by blocks goes the plain way meanwhile, for its weights to be seen. Outside
    the block the model is as it was, and no layer knows of traces.

    Each array is copied to the host as it passes, so that no later change reaches the record; arrays with the same
    numbers share a copy. A forward and backward of a model of two by two layers, d_model 64, took four times the memory
    that training keeps for backward, a forward alone twice, and three times the time; `t.nbytes` tells the memory.

    Raises `InputError` when `model` is no Module or depth no number of modules.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = FeedForward(2, 3, rng=np.random.default_rng(0), dtype="float64")
    >>> with trace(layer) as t:
    ...     dx = layer.backward(layer.forward(np.eye(2)))
    >>> print(t)
    FeedForward(): 4 of 4 layers, in the order in which data passed; 424 bytes
      layer        output    mean  spread  gradient
    > FeedForward  (2, 2)   0.145   0.364     0.784
      linear_1     (2, 3)  -0.113   0.784      0.88
      activation   (2, 3)   0.315   0.361       0.9
      linear_2     (2, 2)   0.145   0.364     0.784
    mean, spread (standard deviation): of the output; gradient: norm of what came back to the output
    >>> np.array_equal(t["linear_1"].dinputs.dx, dx), t.first().name, t.next().name
    (True, 'FeedForward', 'linear_1')
    """
    if not isinstance(model, Module):
        raise InputError(f"trace got {model!r:.60}: expected a Module, such as a Transformer or one of its layers")
    if depth is not None and not (isinstance(depth, Integral) and depth >= 0):
        raise InputError(f"depth = {depth!r}: expected 0 for the model alone, 1, 2, ..., or None for all layers")
    return Trace(model, depth)


class Trace(Tabled):
    """What `trace` gives; see there."""

    def __init__(self, model: Module, depth: int | None):
        self.depth = depth
        self.recorder = Recorder(model)
        self.place: str | None = None
        self.wrapping: ExitStack | None = None

    def __enter__(self) -> "Trace":
        if self.wrapping is not None:
            raise InputError("this trace is recording already: open another with npformer.trace(model)")
        with ExitStack() as stack:
            stack.enter_context(with_weights(self.recorder.model))
            stack.enter_context(wrapped(self.recorder.methods()))
            self.wrapping = stack.pop_all()
        return self

    def __exit__(self, *error) -> None:
        wrapping, self.wrapping = self.wrapping, None
        wrapping.close()

    @property
    def records(self) -> list[Record]:
        """All records, in the order in which data last entered the layers, a box before what is in it."""
        return list(self.recorder.records.values())

    @property
    def nbytes(self) -> int:
        """The memory that the records take."""
        return self.recorder.copies.nbytes

    def __iter__(self) -> Iterator[str]:
        return iter(self.recorder.records)

    def __len__(self) -> int:
        return len(self.recorder.records)

    def __contains__(self, name) -> bool:
        return name in self.recorder.records

    def __getitem__(self, name: str) -> Record:
        if name in self:
            return self.recorder.records[name]
        if name in self.recorder.layers:
            raise InputError(f"nothing has passed through {name}: call the model's forward inside the with block")
        names, text = list(self.recorder.layers), str(name)
        near = [other for other in names if text and text in other] or get_close_matches(text, names, cutoff=0.5)
        hint = f"did you mean {', '.join(near[:3])}?" if near else f"expected a name such as {names[-1]}"
        raise InputError(f"{self.recorder.model.label} has no layer {name!r}: {hint}")

    def shows(self, record: Record) -> bool:
        """Tell whether a record is part of the table and the walk: it is when it lies no deeper than `depth`."""
        return self.depth is None or record.depth <= self.depth

    @property
    def here(self) -> Record:
        """The record at which one stands, at the beginning the first."""
        return self[self.place] if self.place else self.first()

    def first(self) -> Record:
        """Go to the layer that the data entered first."""
        return self.nearest(self.records, NOTHING)

    def last(self) -> Record:
        """Go to the layer that the data entered last."""
        return self.nearest(self.records[::-1], NOTHING)

    def next(self) -> Record:
        """Go one layer on."""
        after = self.records[self.records.index(self.here) + 1 :]
        return self.nearest(after, f"{self.here.name} is the last layer: t.first() goes back to the start")

    def back(self) -> Record:
        """Go one layer back."""
        before = self.records[: self.records.index(self.here)]
        return self.nearest(before[::-1], f"{self.here.name} is the first layer: t.next() goes on")

    def go(self, name: str) -> Record:
        """Go to a layer by its name, however deep."""
        self.place = self[name].name
        return self.here

    def nearest(self, records: list[Record], problem: str) -> Record:
        """Go to the first of these records that is shown; raise `InputError` when there is none."""
        for record in filter(self.shows, records):
            return self.go(record.name)
        raise InputError(problem)

    def table(self) -> Table:
        """Return what this prints as: a row for each record that is shown, that of `here` marked."""
        model, records = self.recorder.model.label, list(filter(self.shows, self.records))
        again = any(record.calls > 1 for record in records)
        header = ["layer", *(["calls"] if again else []), "output", "mean", "spread", "gradient"]
        rows = [[r.name, *([str(r.calls)] if again else []), *figures(r.output), norm(r.dy)] for r in records]
        names = [record.name for record in records]
        place = self.place or (names[0] if names else None)
        size = f"{self.nbytes:,} bytes" if self.nbytes < 1e6 else f"{self.nbytes / 1e6:,.1f} MB"
        title = f"{model}: {len(rows)} of {len(self)} layers, in the order in which data passed; {size}"
        below = [NOTE] if len(rows) == len(self) else [NOTE, "deeper layers: t.depth = None"]
        return Table(title, header, rows, names.index(place) if place in names else None, below)
