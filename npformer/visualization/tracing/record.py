"""The record of one layer."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...module import Module
from ...utils import InputError
from ..plots import plot_heat_map
from .table import Table, Tabled, norm, statistics


@dataclass(eq=False, repr=False)
class Record(Tabled):
    """What passed through one layer in its last call, as read-only NumPy arrays.

    `inputs` is a named tuple of forward's arguments (`inputs.x` or `inputs[0]`), `output` is what forward returned.
    After backward, `dy` is the upstream gradient, `dinputs` a named tuple of the gradients of the inputs
    (`dinputs.dx`), and `dparameters` holds the gradients of the layer's own parameters by name, as they are when the
    outermost backward ends: an embedding matrix that several layers share has one gradient, the sum over all of them.
    `calls` counts the forwards so far. Everything else is None.
    """

    name: str
    layer: Module
    parent: Module
    depth: int
    calls: int = 1
    inputs: Any = None
    output: Any = None
    dy: Any = None
    dinputs: Any = None
    dparameters: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def arrays(self) -> dict[str, Any]:
        """Everything recorded, by the names that `plot` takes: forward's own names, output, dy, dx, dweight, ..."""
        found = self.inputs._asdict() if self.inputs else {}
        found |= {"output": self.output, "dy": self.dy}
        found |= self.dinputs._asdict() if self.dinputs else {}
        return found | {f"d{name}": gradient for name, gradient in self.dparameters.items()}

    def plot(self, ax, what: str = "output", *, sentence: int = 0, head: int = 0, **names):
        """Draw one of `arrays` as a heat map into a matplotlib Axes, and return the Axes.

        Of (B, T, D) one sentence is shown, of (B, H, T, S) one sentence and head. `row_names` and `column_names`, such
        as the tokens of the sentence, replace the numbers along an axis.

        Raises `InputError` when there is no such array, sentence or head.
        """
        values = self.arrays.get(what)
        if values is None:
            recorded = ", ".join(name for name, array in self.arrays.items() if array is not None)
            advice = "run backward inside the with block" if what.startswith("d") else "look at record.arrays"
            raise InputError(f"{self.name} has no {what!r} to plot: expected one of {recorded}; or {advice}")
        values = np.asarray(values)
        place = [("sentence", sentence), ("head", head)][: max(values.ndim - 2, 0)]
        if not 1 <= values.ndim <= 4 or values.size == 0:
            raise InputError(f"{what} of {self.name} has shape {values.shape}: expected one to four axes, none empty")
        for kind, index in place:
            if not 0 <= index < len(values):
                raise InputError(f"{kind} = {index}: {what} of {self.name} has {len(values)} of them, counted from 0")
            values = values[index]
        shown = ", ".join([what, *(f"{kind} {index}" for kind, index in place)])
        return plot_heat_map(ax, np.atleast_2d(values), title=f"{self.name}\n{shown}", **names)

    def table(self) -> Table:
        """Return what this prints as: the layer, its number of calls, and one row per array."""
        title = f"{self.name}: {self.layer.label}" + (f", call {self.calls}" if self.calls > 1 else "")
        rows = [[name, *statistics(array), norm(array)] for name, array in self.arrays.items()]
        return Table(title, ["", "shape", "mean", "std", "norm"], rows)
