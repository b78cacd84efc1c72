"""Measure the cost of the layers in the paper's table 1, and the length of their signal paths."""

from pathlib import Path

from ..paper.table1 import KINDS, LENGTHS, WIDTHS, Size, Table1, costs, find_path, plot_layer_costs
from ..utils import import_optional, make_folder, write_atomic
from ..utils.malloc import keep_freed_memory
from ..visualization import plots
from .options import file_name, whole_number

QUICK_LENGTHS, QUICK_WIDTHS = (64, 128, 256, 512), (32, 128)
PATH_LENGTHS = (16, 32, 64)


def add_options(parser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--quick", action="store_true", help="n up to 512 and two widths, in seconds instead of minutes")
    add("--kernel", type=whole_number(1), default=3, metavar="K", help="width of the convolutions, odd (default 3)")
    neighbours = "how many neighbours restricted self-attention sees (default 32)"
    add("--neighbours", type=whole_number(1), default=32, metavar="R", help=neighbours)
    add("--batch", type=whole_number(1), default=1, metavar="N", help="sequences read at once (default 1)")
    add(
        "--out", type=file_name, default="table1", metavar="DIR", help="folder for the picture and CSV (default table1)"
    )


def run(options) -> int:
    """Measure all layers at all sizes, print the tables, write the picture and two CSV files."""
    settings = {"k": options.kernel, "r": options.neighbours}
    Size(1, 1, **settings).checked()
    out = Path(options.out)
    make_folder(out)
    keep_freed_memory()
    lengths, widths = (QUICK_LENGTHS, QUICK_WIDTHS) if options.quick else (LENGTHS, WIDTHS)
    budget = 0.05 if options.quick else 0.4
    measured = costs(lengths, widths, **settings, batch=options.batch, budget=budget)
    bar = import_optional("tqdm", "npformer").tqdm(
        measured, total=len(KINDS) * len(lengths) * len(widths), disable=None
    )
    found = list(bar)
    paths = [find_path(kind, n, **settings) for kind in KINDS for n in PATH_LENGTHS]
    table = Table1(found, paths, **settings, batch=options.batch)
    print(f"k = {table.k}, r = {table.r}, batch {table.batch}, float32, one thread, seconds forward and backward\n")
    print("\n\n".join([table.operations(), table.ways(), table.crossings(), table.milliseconds()]))
    for name, text in table.files().items():
        write_atomic(out / name, text)
        print(out / name)
    plots.save_figure(drawn(table), out / "seconds.png")
    print(out / "seconds.png")
    return 0


def drawn(table: Table1):
    """Return a figure of the smallest, middle and largest width."""
    widths = sorted({table.widths[i] for i in (0, len(table.widths) // 2, -1)})
    figure, axes = plots.new_figure(1, len(widths), width=4.6 * len(widths), height=4.2)
    seconds = [cost.seconds for cost in table.costs]
    for ax, d in zip(axes, widths, strict=True):
        plot_layer_costs(ax, table, d, between=(min(seconds) / 1.5, max(seconds) * 1.5))
    axes[0].set_ylabel("seconds, forward and backward")
    return figure
