"""A computation as a graph: a box per operation, and on every edge its value and its gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from npformer.visualization.plots.colors import ORANGE, ink, main_color, page_color

# the name of a result, what is done, and the names of what it is done to
Step = tuple[str, str, tuple[str, ...]]


def plot_graph(ax, steps: Sequence[Step], values: Mapping, gradients: Mapping | None = None):
    """Draw a computation from left to right, and return the Axes.

    Each name has its value above and its gradient below. A name that no step makes is an input, at
    the left of the first step that takes it.

    Arguments:
        ax: the Axes
        steps: the operations, in order
        values: numbers, or vectors of a few, by name
        gradients: the same; where a name is used twice, they may have the share of each use, by
            (name, name of the result)
    """
    places = _places(steps)
    box = {"boxstyle": "round,pad=0.45", "facecolor": page_color(ax), "edgecolor": ink()}
    arrow = {"arrowstyle": "-|>", "color": ink()}
    between_boxes = {**arrow, "shrinkA": 14, "shrinkB": 16}
    for name, operation, inputs in steps:
        for source in inputs:
            ax.annotate("", places[name], places[source], arrowprops=between_boxes, zorder=2)
            x0, y0 = places[source]
            x1, y1 = places[name]
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            share = (gradients or {}).get((source, name))
            shown = gradients if share is None else {source: share}
            _label(ax, middle, source, values, shown)
        ax.annotate(operation, places[name], ha="center", va="center", bbox=box, zorder=3)

    last = steps[-1][0]
    x, y = places[last]
    ax.annotate("", (x + 1.5, y), (x, y), arrowprops=arrow, zorder=2)
    _label(ax, (x + 0.85, y), last, values, gradients)

    results = {name for name, _, _ in steps}
    for name, place in places.items():
        if name not in results:
            ax.annotate(name, place, ha="center", va="center", weight="bold")

    xs, ys = zip(*places.values(), strict=True)
    ax.set(xlim=(min(xs) - 0.3, max(xs) + 1.6), ylim=(min(ys) - 0.55, max(ys) + 0.55))
    ax.set_axis_off()
    return ax


def _places(steps: Sequence[Step]) -> dict[str, tuple[float, float]]:
    """Return the place of each name.

    A result is one column after the last of its inputs, in the mean of their rows.
    """
    results = {name for name, _, _ in steps}
    columns: dict[str, int] = {}
    rows: dict[str, float] = {}
    for name, _, inputs in steps:
        columns[name] = 1 + max(columns.get(source, 0) for source in inputs)
        for source in inputs:
            if source not in columns:  # an input of the graph: below those before it
                rows[source] = -float(sum(other not in results for other in rows))

    # the columns of all results are known, so an input can be next to its first use
    for number, (name, _, inputs) in enumerate(steps):
        for source in inputs:
            columns.setdefault(source, columns[name] - 1)
        rows[name] = sum(rows[source] for source in inputs) / len(inputs)

        # where all inputs are used again, one row up, so that the later use passes below
        used_later: set[str] = set()
        for _, _, later_inputs in steps[number + 1 :]:
            used_later.update(later_inputs)
        if used_later.issuperset(inputs):
            rows[name] += 1
    return {name: (1.6 * columns[name], rows[name]) for name in columns}


def _label(
    ax, place: tuple[float, float], name: str, values: Mapping, gradients: Mapping | None
) -> None:
    """Write a name's value above a place, and its gradient below."""
    # the background covers a steep arrow
    background = {"boxstyle": "square,pad=0.3", "facecolor": page_color(ax), "edgecolor": "none"}
    look = {
        "textcoords": "offset points",
        "ha": "center",
        "fontsize": 9,
        "bbox": background,
        "zorder": 2.5,
    }
    value = f"{name} = {_written(values[name])}"
    ax.annotate(value, place, (0, 5), va="bottom", color=main_color(), **look)
    if gradients is not None:
        gradient = f"d{name} = {_written(gradients[name])}"
        ax.annotate(gradient, place, (0, -5), va="top", color=ORANGE, **look)


def _written(value) -> str:
    """Return a number with three digits, or a vector with two.

    >>> _written(1 / 3), _written(np.array([-1.234, 0.0]))
    ('0.333', '(-1.2, 0)')
    """
    if np.ndim(value):
        rounded = np.round(value, 9) + 0.0  # no -0
        numbers = ", ".join(f"{x:.2g}" for x in rounded)
        return f"({numbers})"
    return f"{float(value):.3g}"
