"""The record of one layer."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...module import Module
from .table import norm, statistics, text_table


@dataclass(eq=False, repr=False)
class Record:
    """What passed through one layer in its last call, as read-only NumPy arrays.

    `inputs` is a named tuple of forward's arguments (`inputs.x` or `inputs[0]`), `output` is what forward returned.
    After backward, `dy` is the upstream gradient, `dinputs` a named tuple of the gradients of the inputs
    (`dinputs.dx`), and `dparameters` holds the gradients of the layer's own parameters by name, as they are when the
    outermost backward ends: an embedding matrix that several layers share has one gradient, the sum over all of them.
    Everything else is None.
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
        found = self.inputs._asdict() if self.inputs else {}
        found |= {"output": self.output, "dy": self.dy}
        found |= self.dinputs._asdict() if self.dinputs else {}
        return found | {f"d{name}": gradient for name, gradient in self.dparameters.items()}

    def __repr__(self):
        rows = [[name, *statistics(array), norm(array)] for name, array in self.arrays.items()]
        table = text_table(["", "shape", "mean", "std", "norm"], rows)
        return f"{self.name}: {self.layer.label}\n{table}"
