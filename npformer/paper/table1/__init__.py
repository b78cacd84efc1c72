"""The paper's table 1, measured: operations, sequential operations and path lengths of layer kinds (section 4).

    table = Table1(list(costs(k=3, r=32)), [find_path(kind, 16) for kind in KINDS], k=3, r=32, batch=1)
    print(table.operations())

The recurrent layer is an LSTM: the paper's O(n d^2) is one product h_t-1 U per step, an LSTM computes eight of that
size. Self-attention has heads of 64 features where 64 divides d; its four projections are counted and timed too.
"""

from .layer_kinds import ATTENTION, KINDS, OTHERS, Kind, Size
from .matmul_counter import Product, longest_chain, watch
from .path_length import Path, find_path, gradient_by_position, layers_between_ends
from .plot import plot_layer_costs
from .table import Table1, cheaper_below, exponent
from .timing import LENGTHS, WIDTHS, Cost, costs, multiply_adds

__all__ = ["ATTENTION", "KINDS", "LENGTHS", "OTHERS", "WIDTHS", "Cost", "Kind", "Path", "Product", "Size", "Table1"]
__all__ += ["cheaper_below", "costs", "exponent", "find_path", "gradient_by_position", "layers_between_ends"]
__all__ += ["longest_chain", "multiply_adds", "plot_layer_costs", "watch"]
