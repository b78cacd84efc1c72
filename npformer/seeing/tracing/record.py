"""What passed through one layer."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base import InputError
from ...module import Module
from ..plots import plot_heat_map
from .flat import axis_names, two_axes
from .table import Table, Tabled, figures, norm


@dataclass(eq=False, repr=False)
class Record(Tabled):
    """What passed through one layer in its last call, as read-only NumPy arrays.

    `inputs` is a named tuple of what forward took (`inputs.x` or `inputs[0]`), `output` is what it returned. After
    backward `dy` is the gradient that came, `dinputs` a named tuple of those that went out (`dinputs.dx`), and
    `dparameters` has the gradients of the layer's own parameters by name, as they stood when the outermost backward was
    done: a table that several layers share has one gradient, the sum over all of them. `calls` counts the forwards so
    far. What has not passed is None.
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

    def plot(self, ax, what: str = "output", *, sentence: int | None = None, head: int | None = None, **names):
        """Draw one of `arrays` as a heat map into a matplotlib Axes, and return the Axes.

        Of (B, T, D) one sentence is shown, of (B, H, T, S) one sentence and head: the first unless others are asked
        for. `row_names` and `column_names`, such as the tokens of the sentence, take the place of numbers along an
        axis. Raises `InputError` when there is no such array, sentence or head.
        """
        values = self.arrays.get(what)
        if values is None:
            there = ", ".join(name for name, array in self.arrays.items() if array is not None)
            why = "run backward inside the with block" if what.startswith("d") else "look at record.arrays"
            raise InputError(f"{self.name} has no {what!r} to plot: expected one of {there}; or {why}")
        values, place = two_axes(f"{what} of {self.name}", np.asarray(values), sentence, head)
        rows, columns = axis_names(self.layer, self.parent, what, values)
        title = "\n".join([self.name, ", ".join([what, *place])])
        return plot_heat_map(ax, values, title=title, row_label=rows, column_label=columns, **names)

    def table(self) -> Table:
        """Return what this prints as: the layer, how often data entered it, and a row for each array."""
        title = f"{self.name}: {self.layer.label}" + (f", call {self.calls}" if self.calls > 1 else "")
        rows = [[name, *figures(array), norm(array)] for name, array in self.arrays.items()]
        return Table(title, ["", "shape", "mean", "spread", "norm"], rows)
