"""Seconds of the layers of paper table 1 over the length of the sequence."""

from ...paper.table1 import KINDS, Table1
from ...utils import InputError
from .colours import AMBER, GREEN, ORANGE, PINK, main_colour

DASHES = ("-", "--", "-.", ":", (0, (8, 2, 1, 2)))  # so that lines differ without colour
MARKS = "osv^D"
APART = 0.07  # of the height, so much at least between two names


def plot_layer_costs(ax, table: Table1, d: int, *, between: tuple[float, float] | None = None):
    """Draw the seconds of each kind of layer over n at one d, log against log, with its slope; return the Axes.

    Beside the end of each line stand its kind and its exponent in n, fitted over the larger lengths. `between` gives
    the least and most seconds of the axis, so that pictures of several d can share it (default: what is drawn).

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
    write_at_ends(ax, table.lengths[-1], ends)
    return ax


def write_at_ends(ax, x: float, ends: list[tuple[float, str, str]]) -> None:
    """Write a text beside the end (x, y) of each line, pushed up where two would overlap."""
    to_axes = ax.transData + ax.transAxes.inverted()
    lowest = -1.0
    for y, text, colour in sorted(ends):
        height = max(to_axes.transform((x, y))[1], lowest + APART)
        lowest = height
        ax.text(1.02, height, text, color=colour, transform=ax.transAxes, va="center", fontsize=9)
