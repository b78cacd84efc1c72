"""The trace of a model: one record per layer, as a table and step by step."""

from collections.abc import Iterator
from contextlib import ExitStack
from difflib import get_close_matches

from ...module import Module
from ...utils import InputError
from ..hooks import wrap_methods
from .record import Record
from .recorder import Recorder
from .table import Table, Tabled, norm, statistics

EMPTY = "nothing is recorded: call the model's forward inside the with block"
NOTE = "mean, std (standard deviation): of the output; gradient: norm of the upstream gradient"


def trace(model: Module, *, depth: int | None = 3) -> "Trace":
    """Record what passes through every layer of a model, or of a single layer, inside a with block.

    The trace prints as a table in the order in which the data passed; `t[name]` is a layer's `Record`; `t.first()`,
    `t.next()`, `t.back()`, `t.last()` and `t.go(name)` step through it, and `t.here` is the present step. Table and
    steps go down to `depth` modules inside the model (3 gives the boxes of figure 1 in a Transformer), None means all;
    `t[name]` finds every layer. The model itself has the name of its class.

    Of each layer the last call is recorded. A forward that fails leaves a record without output. Attention in tiles
    (`FlashAttention`) never has its weights, so none are recorded: use `attention_weights`. After the block the model
    is as it was. Copies of the model that are made inside the block still write into this trace.

    Every array is copied to the host, so later changes do not reach the record; this takes time and memory.

    Raises `InputError` when `model` is no Module.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = FeedForward(2, 3, rng=np.random.default_rng(0), dtype="float64")
    >>> with trace(layer) as t:
    ...     dx = layer.backward(layer.forward(np.eye(2)))
    >>> print(t)
    FeedForward(): 4 of 4 layers, in the order in which data passed
      layer        output    mean    std  gradient
    > FeedForward  (2, 2)   0.145  0.364     0.784
      linear_1     (2, 3)  -0.113  0.784      0.88
      activation   (2, 3)   0.315  0.361       0.9
      linear_2     (2, 2)   0.145  0.364     0.784
    mean, std (standard deviation): of the output; gradient: norm of the upstream gradient
    >>> np.array_equal(t["linear_1"].dinputs.dx, dx), t.first().name, t.next().name
    (True, 'FeedForward', 'linear_1')
    """
    if not isinstance(model, Module):
        raise InputError(f"trace got {model!r:.60}: expected a Module, such as a Transformer or one of its layers")
    return Trace(model, depth)


class Trace(Tabled):
    """The result of `trace`."""

    def __init__(self, model: Module, depth: int | None):
        self.depth = depth
        self.recorder = Recorder(model)
        self.place: str | None = None
        self.wrapping = ExitStack()

    def __enter__(self) -> "Trace":
        self.wrapping.enter_context(wrap_methods(self.recorder.methods()))
        return self

    def __exit__(self, *error) -> None:
        self.wrapping.close()

    @property
    def records(self) -> list[Record]:
        """All records, in the order in which data last entered the layers, a box before what is in it."""
        return list(self.recorder.records.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self.recorder.records)

    def __len__(self) -> int:
        return len(self.recorder.records)

    def __getitem__(self, name: str) -> Record:
        if name in self.recorder.records:
            return self.recorder.records[name]
        if name in self.recorder.layers:
            raise InputError(f"nothing has passed through {name}: call the model's forward inside the with block")
        names = list(self.recorder.layers)
        near = [other for other in names if str(name) in other][:3] or get_close_matches(str(name), names, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else f"expected a name such as {names[-1]}"
        raise InputError(f"{self.recorder.model.label} has no layer {name!r}: {hint}")

    @property
    def here(self) -> Record:
        """The record of the present step, at the beginning the first."""
        return self[self.place] if self.place else self.first()

    def first(self) -> Record:
        """Go to the layer that the data entered first."""
        return self._go_to_first_of(self.records, EMPTY)

    def last(self) -> Record:
        """Go to the layer that the data entered last."""
        return self._go_to_first_of(self.records[::-1], EMPTY)

    def next(self) -> Record:
        """Go to the next layer."""
        after = self.records[self.records.index(self.here) + 1 :]
        return self._go_to_first_of(after, f"{self.here.name} is the last layer: t.first() starts again")

    def back(self) -> Record:
        """Go to the previous layer."""
        before = self.records[: self.records.index(self.here)]
        return self._go_to_first_of(before[::-1], f"{self.here.name} is the first layer: t.next() is the way on")

    def go(self, name: str) -> Record:
        """Go to a layer by its name, at any depth."""
        self.place = self[name].name
        return self.here

    def table(self) -> Table:
        """Return what this prints as: one row per layer down to `depth`, that of `here` marked."""
        records = list(filter(self._is_shown, self.records))
        here = self.place or (records[0].name if records else None)
        marks = {record.name: "> " if record.name == here else "  " for record in records}
        rows = [[marks[r.name] + r.name, *statistics(r.output), norm(r.dy)] for r in records]
        title = f"{self.recorder.model.label}: {len(rows)} of {len(self)} layers, in the order in which data passed"
        below = [NOTE] if len(rows) == len(self) else [NOTE, "deeper layers: t.depth = None"]
        return Table(title, ["  layer", "output", "mean", "std", "gradient"], rows, below)

    def _is_shown(self, record: Record) -> bool:
        return self.depth is None or record.depth <= self.depth

    def _go_to_first_of(self, records: list[Record], problem: str) -> Record:
        for record in filter(self._is_shown, records):
            return self.go(record.name)
        raise InputError(problem)
