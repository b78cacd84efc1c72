"""A computation as a graph: a box per operation, and on every edge its value and its gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from npformer.visualization.plots.colors import ORANGE, ink, main_color, page_color

Step = tuple[str, str, tuple[str, ...]]  # the name of a result, what is done, and the names of what it is done to


def plot_graph(ax, steps: Sequence[Step], values: Mapping, gradients: Mapping | None = None):
    """Draw a computation from left to right, each name with its value above and its gradient below; return the Axes.

    Values and gradients are numbers, or vectors of a few.
    A name that no step makes is an input, at the left of the first step that takes it. Where a name is used twice,
    `gradients` may have the share of each use, by (name, name of the result).
    """
    places = _places(steps)
    box = {"boxstyle": "round,pad=0.45", "facecolor": page_color(ax), "edgecolor": ink()}
    for name, operation, inputs in steps:
        for source in inputs:
            arrow = {"arrowstyle": "-|>", "color": ink(), "shrinkA": 14, "shrinkB": 16}
            ax.annotate("", places[name], places[source], arrowprops=arrow, zorder=2)
            (x0, y0), (x1, y1) = places[source], places[name]
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            share = (gradients or {}).get((source, name))
            _label(ax, middle, source, values, {source: share} if share is not None else gradients)
        ax.annotate(operation, places[name], ha="center", va="center", bbox=box, zorder=3)
    last = steps[-1][0]
    x, y = places[last]
    ax.annotate("", (x + 1.5, y), (x, y), arrowprops={"arrowstyle": "-|>", "color": ink()}, zorder=2)
    _label(ax, (x + 0.85, y), last, values, gradients)
    for name in set(places) - {step[0] for step in steps}:
        ax.annotate(name, places[name], ha="center", va="center", weight="bold")
    xs, ys = zip(*places.values(), strict=True)
    ax.set(xlim=(min(xs) - 0.3, max(xs) + 1.6), ylim=(min(ys) - 0.55, max(ys) + 0.55))
    ax.set_axis_off()
    return ax


def _places(steps: Sequence[Step]) -> dict[str, tuple[float, float]]:
    """Return where each name is: its column is the longest way to it, its row the mean of the rows of its inputs."""
    columns: dict[str, int] = {}
    rows: dict[str, float] = {}
    for name, _, inputs in steps:
        columns[name] = 1 + max(columns.get(source, 0) for source in inputs)
        for source in inputs:
            if source not in columns:
                rows[source] = -float(sum(other not in {step[0] for step in steps} for other in rows))
    for name, _, inputs in steps:
        for source in inputs:
            columns.setdefault(source, columns[name] - 1)
        rows[name] = sum(rows[source] for source in inputs) / len(inputs)
        later = [source for other in steps[steps.index((name, _, inputs)) + 1 :] for source in other[2]]
        rows[name] += set(inputs) <= set(later)  # so that the later use passes below it
    return {name: (1.6 * columns[name], rows[name]) for name in columns}


def _label(ax, place: tuple[float, float], name: str, values: Mapping, gradients: Mapping | None) -> None:
    """Write a name's value above a place, and its gradient below."""
    behind = {"boxstyle": "square,pad=0.3", "facecolor": page_color(ax), "edgecolor": "none"}  # covers a steep arrow
    look = {"textcoords": "offset points", "ha": "center", "fontsize": 9, "bbox": behind, "zorder": 2.5}
    ax.annotate(f"{name} = {_written(values[name])}", place, (0, 5), va="bottom", color=main_color(), **look)
    if gradients is not None:
        ax.annotate(f"d{name} = {_written(gradients[name])}", place, (0, -5), va="top", color=ORANGE, **look)


def _written(value) -> str:
    """Return a number with three digits, or a vector with two.

    >>> _written(1 / 3), _written(np.array([-1.234, 0.0]))
    ('0.333', '(-1.2, 0)')
    """
    if np.ndim(value):
        return f"({', '.join(f'{x:.2g}' for x in np.round(value, 9) + 0.0)})"
    return f"{float(value):.3g}"
