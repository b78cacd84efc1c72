"""The record of one layer."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...layers import Generator, Linear, ScaledDotProductAttention, Softmax
from ...models import Transformer
from ...module import Module, Parameter
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

    def plot(self, ax, what: str = "output", *, sentence: int | None = None, head: int | None = None, **names):
        """Draw one of `arrays` as a heat map into a matplotlib Axes, and return the Axes.

        Of (B, T, D) one sentence is shown, of (B, H, T, S) one sentence and head, by default the first. `row_names`
        and `column_names`, such as the tokens of the sentence, replace the numbers along an axis.

        Raises `InputError` when there is no such array, sentence or head.
        """
        values = self.arrays.get(what)
        if values is None:
            recorded = ", ".join(name for name, array in self.arrays.items() if array is not None)
            advice = "run backward inside the with block" if what.startswith("d") else "look at record.arrays"
            raise InputError(f"{self.name} has no {what!r} to plot: expected one of {recorded}; or {advice}")
        values, place = _take_two_axes(f"{what} of {self.name}", np.asarray(values), sentence, head)
        rows, columns = self._axis_names(what, values)
        title = "\n".join([self.name, ", ".join([what, *place])])
        return plot_heat_map(ax, values, title=title, row_label=rows, column_label=columns, **names)

    def table(self) -> Table:
        """Return what this prints as: the layer, its number of calls, and one row per array."""
        title = f"{self.name}: {self.layer.label}" + (f", call {self.calls}" if self.calls > 1 else "")
        rows = [[name, *statistics(array), norm(array)] for name, array in self.arrays.items()]
        return Table(title, ["", "shape", "mean", "std", "norm"], rows)

    def _axis_names(self, what: str, values: np.ndarray) -> tuple[str, str]:
        """Return labels for the two axes of an array that is plotted."""
        if isinstance(vars(self.layer).get(what[1:]), Parameter):
            if isinstance(self.layer, Linear) and what == "dweight":
                return "feature in", "feature out"
            return "token id" if what == "dtable" else "", "feature"
        inside_attention = self.layer is not self.parent and isinstance(self.parent, ScaledDotProductAttention)
        if values.dtype == bool or isinstance(self.layer, Softmax) or inside_attention:
            return "query position", "key position"
        if values.dtype.kind in "iu":
            return "sentence", "position"
        if what in ("output", "dy") and isinstance(self.layer, (Generator, Transformer)):
            return "position", "token id"
        return ("position" if len(values) > 1 else ""), "feature"


def _take_two_axes(
    what: str, values: np.ndarray, sentence: int | None, head: int | None
) -> tuple[np.ndarray, list[str]]:
    """Return the last two axes of an array of one sentence and head, and which these are in words.

    A sentence and a head that are None are the first. Raises `InputError` when there are more axes, no such sentence
    or head, or no numbers at all. `what` names the array in errors.

    >>> matrix, place = _take_two_axes("weights", np.zeros((2, 4, 5, 3)), 1, None)
    >>> matrix.shape, place
    ((5, 3), ['sentence 1', 'head 0'])
    """
    if not 1 <= values.ndim <= 4 or values.size == 0:
        raise InputError(f"{what} has shape {values.shape}: expected one to four axes that are not empty")
    place = []
    for kind, wanted, axes in (("sentence", sentence, 3), ("head", head, 4)):
        if values.ndim + len(place) < axes:
            if wanted is not None:
                raise InputError(f"{what} has shape {values.shape}, no axis of {kind}s: leave {kind} = {wanted} out")
            continue
        index = 0 if wanted is None else wanted
        if not 0 <= index < len(values):
            raise InputError(f"{kind} = {index}: {what} has {len(values)} of them, expected 0 .. {len(values) - 1}")
        values = values[index]
        place.append(f"{kind} {index}")
    return np.atleast_2d(values), place
