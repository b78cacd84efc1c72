"""Measure the cost of the layers in the paper's table 1, and the length of their signal paths."""

from typing import Any

from ..paper.table1 import KINDS, LENGTHS, WIDTHS, Table1, measure_costs
from ..utils import import_optional
from ..utils.threads_and_memory import keep_freed_memory

KERNEL_WIDTH = 3  # k, of the convolutions
N_NEIGHBORS = 32  # r, that restricted self-attention sees
QUICK_LENGTHS = (64, 128, 256, 512)
QUICK_WIDTHS = (32, 128)
EXPLANATION = "n^a d^b: at twice the length n it grows by a factor 2^a, at twice the width d by 2^b"


def add_options(parser: Any) -> None:
    """Add the options."""
    parser.add_argument(
        "--quick", action="store_true", help="n up to 512 and two widths: seconds, not minutes"
    )


def run(options: Any) -> int:
    """Measure all layers at all sizes, and print the tables."""
    keep_freed_memory()
    lengths = QUICK_LENGTHS if options.quick else LENGTHS
    widths = QUICK_WIDTHS if options.quick else WIDTHS
    costs = measure_costs(lengths, widths, k=KERNEL_WIDTH, r=N_NEIGHBORS)
    n_costs = len(KINDS) * len(lengths) * len(widths)
    bar = import_optional("tqdm", "npformer").tqdm(costs, total=n_costs, disable=None)
    table = Table1(list(bar), k=KERNEL_WIDTH, r=N_NEIGHBORS)

    print(f"k = {table.k}, r = {table.r}, batch 1, float32, one thread, forward and backward")
    print(f"{EXPLANATION}\n\n{table.operations()}\n\n{table.path_lengths()}")
    return 0
