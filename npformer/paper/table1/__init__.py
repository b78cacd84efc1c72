"""Table 1 of the paper (section 4), measured.

Its columns are operations, sequential operations and path lengths of layers.

    print(Table1(list(measure_costs(k=3, r=32)), k=3, r=32).operations())

The recurrent layer is an LSTM: the paper's O(n d^2) is one product h_t-1 U per step, an LSTM
computes eight of that size. Self-attention has heads of 64 features where 64 divides d; its four
projections are counted and timed too.
"""

from .layer_kinds import KINDS, Kind, Size
from .measurements import (
    LENGTHS,
    WIDTHS,
    Cost,
    gradient_by_position,
    layers_between_ends,
    measure_costs,
)
from .table import Table1, plot_layer_costs

__all__ = [
    "KINDS",
    "LENGTHS",
    "WIDTHS",
    "Cost",
    "Kind",
    "Size",
    "Table1",
    "gradient_by_position",
    "layers_between_ends",
    "measure_costs",
    "plot_layer_costs",
]
