"""The paper's table 1, measured: operations, sequential steps and path lengths of four kinds of layers (section 4).

    table = Table1(list(costs(k=3, r=32)), [find_path(kind, 16) for kind in KINDS], k=3, r=32, batch=1)
    print(table.operations())

The recurrence is an LSTM: the paper's O(n d^2) is that of the simplest one, h_t = f(h_t-1 U), and an LSTM takes such a
product four times, and W x_t as often. Self-attention has heads of 64 features, as in the paper, where d has room for
them. What it needs beside the paper's n^2 d, four projections, is counted and measured with it.
"""

from .exponents import cheaper_below, counted_cheaper_below, exponent, larger_half
from .layer_kinds import ATTENTION, KINDS, OTHERS, Kind, Size
from .matmul_counter import Product, longest_chain, watch
from .path_length import Path, find_path, gradient_by_position, layers_between_ends
from .plot import plot_layer_costs
from .table import Table1
from .timing import LENGTHS, WIDTHS, Cost, costs, multiply_adds

__all__ = ["ATTENTION", "KINDS", "LENGTHS", "OTHERS", "WIDTHS", "Cost", "Kind", "Path", "Product", "Size", "Table1"]
__all__ += ["cheaper_below", "costs", "counted_cheaper_below", "exponent", "find_path", "gradient_by_position"]
__all__ += ["larger_half", "layers_between_ends", "longest_chain", "multiply_adds", "plot_layer_costs", "watch"]
