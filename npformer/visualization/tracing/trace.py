"""The trace of a model: one record per layer, and all of them as a table."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...module import Module
from ...utils import InputError
from ...utils.wrap_methods import wrap_methods
from .recorder import Record, Recorder
from .table import html_table, norm, statistics, text_table

NOTE = "mean, std (standard deviation): of the output; gradient: norm of the upstream gradient"


@contextmanager
def trace(model: Module, *, depth: int | None = 3) -> Iterator["Trace"]:
    """Record what passes through every layer of a model, or of a single layer, inside a with block.

    The trace prints as a table in the order in which the data passed; `t[name]` is a layer's
    `Record`, `t.records` are all of them. The model itself has the name of its class.

    Of each layer the last call is recorded. A forward that fails leaves a record without output.
    Attention in tiles (`FlashAttention`) never has its weights, so none are recorded: use
    `attention_weights`. After the block the model is as it was. Every array is copied to the host,
    so later changes do not reach the record; this takes time. What other threads compute is not
    recorded, and a thread that traces waits until the block of another one ends.

    Raises `InputError` when `model` is no Module.

    Arguments:
        model: A model or a layer.
        depth: How many modules deep inside the model the table goes: 3 gives the boxes of figure 1
            in a Transformer, None means all. `t[name]` finds every layer.

    >>> import numpy as np
    >>> from npformer.layers import FeedForward
    >>> layer = FeedForward(2, 3, rng=np.random.default_rng(0), dtype="float64")
    >>> with trace(layer) as t:
    ...     dx = layer.backward(layer.forward(np.eye(2)))
    >>> print(t)
    FeedForward(2, 3): 4 of 4 layers, in the order in which data passed
    layer        output    mean    std  gradient
    FeedForward  (2, 2)   0.145  0.364     0.784
    linear_1     (2, 3)  -0.113  0.784      0.88
    activation   (2, 3)   0.315  0.361       0.9
    linear_2     (2, 2)   0.145  0.364     0.784
    mean, std (standard deviation): of the output; gradient: norm of the upstream gradient
    >>> np.array_equal(t["linear_1"].dinputs.dx, dx)
    True
    """
    if not isinstance(model, Module):
        raise InputError(
            f"trace got {model!r:.60}: expected a Module, "
            "such as a Transformer or one of its layers"
        )
    recorder = Recorder(model)
    with wrap_methods(recorder.methods()):
        yield Trace(recorder, depth)


class Trace:
    """The result of `trace`. Changing `depth` changes how deep the table goes."""

    def __init__(self, recorder: Recorder, depth: int | None):
        self.recorder = recorder
        self.depth = depth

    @property
    def records(self) -> list[Record]:
        """All records, in the order in which data last entered the layers; a layer before parts."""
        return list(self.recorder.records.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self.recorder.records)

    def __len__(self) -> int:
        return len(self.recorder.records)

    def __getitem__(self, name: str) -> Record:
        if name in self.recorder.records:
            return self.recorder.records[name]
        if name in self.recorder.layers:
            raise InputError(
                f"nothing has passed through {name}: call the model's forward inside the with block"
            )
        names = list(self.recorder.layers)
        similar = [other for other in names if str(name) in other] or names[-1:]
        raise InputError(
            f"{self.recorder.model.display_name} has no layer {name!r}: "
            f"expected one such as {', '.join(similar[:3])}"
        )

    def __repr__(self) -> str:
        return "\n".join(self._lines(text_table))

    def _repr_html_(self) -> str:
        title, table, *notes = self._lines(html_table)
        return f"<p><b>{title}</b></p>{table}<p>{'<br>'.join(notes)}</p>"

    def _lines(self, make_table: Callable) -> list[str]:
        """Return a title, the table, and notes."""
        rows = []
        for record in self.records:
            if self.depth is None or record.depth <= self.depth:
                rows.append([record.name, *statistics(record.output), norm(record.dy)])
        table = make_table(["layer", "output", "mean", "std", "gradient"], rows)
        title = (
            f"{self.recorder.model.display_name}: {len(rows)} of {len(self)} layers, "
            "in the order in which data passed"
        )
        lines = [title, table, NOTE]
        if len(rows) < len(self):
            lines.append("deeper layers: t.depth = None")
        return lines
