"""Measure the cost of the layers in the paper's table 1, and the length of their signal paths."""

from pathlib import Path

from ..paper.table1 import KINDS, LENGTHS, WIDTHS, Table1, measure_costs, plot_layer_costs
from ..utils import import_optional, make_folder, write_atomic
from ..utils.malloc import keep_freed_memory
from ..visualization import plots
from .options import file_name

SIZES = {"k": 3, "r": 32}  # width of the convolutions; neighbors that restricted self-attention sees
QUICK_LENGTHS, QUICK_WIDTHS = (64, 128, 256, 512), (32, 128)
EXPLANATION = "n^a d^b: at twice the length n it grows by a factor 2^a, at twice the width d by 2^b"


def add_options(parser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--quick", action="store_true", help="n up to 512 and two widths, in seconds instead of minutes")
    add("--out", type=file_name, default="table1", metavar="DIR", help="folder for the figure and CSV (default table1)")


def run(options) -> int:
    """Measure all layers at all sizes, print the tables, write the figure and a CSV file."""
    out = Path(options.out)
    make_folder(out)
    keep_freed_memory()
    lengths, widths = (QUICK_LENGTHS, QUICK_WIDTHS) if options.quick else (LENGTHS, WIDTHS)
    costs = measure_costs(lengths, widths, **SIZES)
    total = len(KINDS) * len(lengths) * len(widths)
    table = Table1(list(import_optional("tqdm", "npformer").tqdm(costs, total=total, disable=None)), **SIZES)
    print(f"k = {table.k}, r = {table.r}, batch 1, float32, one thread, forward and backward")
    print(f"{EXPLANATION}\n\n{table.operations()}\n\n{table.path_lengths()}\n")
    write_atomic(out / "costs.csv", table.csv())
    plots.save_figure(_draw(table), out / "seconds.png")
    print(out / "costs.csv", out / "seconds.png", sep="\n")
    return 0


def _draw(table: Table1):
    """Return a figure of the smallest, middle and largest width."""
    widths = sorted({table.widths[i] for i in (0, len(table.widths) // 2, -1)})
    figure, axes = plots.new_figure(1, len(widths), width=4.6 * len(widths), height=4.2)
    for ax, d in zip(axes, widths, strict=True):
        plot_layer_costs(ax, table, d)
    axes[0].set_ylabel("seconds, forward and backward")
    return figure
