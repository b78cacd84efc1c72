"""A plot of the seconds of table 1's layers over the length of the sequence."""

from ...utils import InputError
from ...visualization.plots.colours import AMBER, GREEN, ORANGE, PINK, main_colour
from .layer_kinds import KINDS
from .table import Table1

DASHES = ("-", "--", "-.", ":", (0, (8, 2, 1, 2)))  # so lines differ without color
MARKS = "osv^D"
LABEL_DISTANCE = 0.07  # of the height


def plot_layer_costs(ax, table: Table1, d: int, *, between: tuple[float, float] | None = None):
    """Draw the seconds of each kind of layer over n at one d, log against log, with its slope; return the Axes.

    The label at the end of each line has its exponent in n, fitted over the larger lengths. `between` gives the limits
    of the axis, so that plots of several d can share it.

    Raises `InputError` for a d that was not measured.
    """
    if d not in table.widths:
        raise InputError(f"d = {d} was not measured: expected one of {', '.join(map(str, table.widths))}")
    colours, ends = (main_colour(), ORANGE, GREEN, AMBER, PINK), []
    for kind, colour, dash, mark in zip(KINDS, colours, DASHES, MARKS, strict=True):
        seconds = table.column("seconds", kind, d=d)
        look = {"color": colour, "linestyle": dash, "marker": mark, "markersize": 4, "linewidth": 2}
        ax.plot(table.lengths, seconds, label=kind.name, **look)
        ends.append((seconds[-1], f"{kind.name}, $n^{{{table.exponent_n('seconds', kind, d):.1f}}}$", colour))
    ax.set(xscale="log", yscale="log", xlabel="n", title=f"d = {d}", xlim=(table.lengths[0] / 1.2, None), ylim=between)
    ax.set_xticks(table.lengths, [f"{n:,}" for n in table.lengths], fontsize=8)
    ax.minorticks_off()
    ax.grid(alpha=0.3)
    _write_at_ends(ax, table.lengths[-1], ends)
    return ax


def _write_at_ends(ax, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Write a text at the end (x, y) of each line, moved up where two would overlap."""
    to_axes = ax.transData + ax.transAxes.inverted()
    lowest = -1.0
    for y, text, colour in sorted(ends):
        height = max(to_axes.transform((x, y))[1], lowest + LABEL_DISTANCE)
        lowest = height
        ax.text(1.02, height, text, color=colour, transform=ax.transAxes, va="center", fontsize=9)
