"""A computation as a graph: values go forward along its edges, and gradients backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from npformer.visualization.plots.colors import PINK, ink, is_dark, page_color

from ..schematics.frame import GRADIENT_COLOR

# the name of a result, what is done, and the names of what it is done to
Step = tuple[str, str, tuple[str, ...]]
Point = tuple[float, float]

COLUMN = 1.75  # from one operation to the next
APART_INPUTS = 1.5  # from one input of an operation to the next
RAISED = 1.4  # of an operation, above an edge that passes it
BOX = (0.4, 0.2)  # half of the width and of the height of an operation
NAME = (0.16, 0.16)  # the same of the name of an input
APART = 0.05  # how far the two arrows of an edge are from its middle
NEAR = 6  # points from the middle of an edge to its labels


def plot_graph(ax, steps: Sequence[Step], values: Mapping, gradients: Mapping | None = None):
    """Draw a computation from left to right, and return the Axes.

    Each edge has an arrow forward with a value, and one back with a gradient. A name that no step
    makes is an input, at the left of the first step that takes it. Where a name is used twice, the
    edges have its shares, and the name their sum.

    Arguments:
        ax: the Axes
        steps: the operations, in order
        values: numbers, or vectors of a few, by name
        gradients: the same; where a name is used twice, they may have the share of each use, by
            (name, name of the result)
    """
    places = _places(steps)
    results = {name for name, _, _ in steps}
    shares: dict[str, list] = {name: [] for name in places}
    for name, operation, inputs in steps:
        for source in inputs:
            label = ""
            share = (gradients or {}).get((source, name))
            if share is not None:
                shares[source].append(share)
                label = f"share {_written(share)}"
            elif gradients:
                label = f"d{source} = {_written(gradients[source])}"
            start = BOX if source in results else NAME
            edge = _edge(places[source], places[name], start, BOX)
            _draw_edge(ax, edge, f"{source} = {_written(values[source])}", label)
        _draw_operation(ax, places[name], operation)

    last = steps[-1][0]
    x, y = places[last]
    edge = _edge((x, y), (x + COLUMN, y), BOX, (0.2, 0.2))
    label = f"d{last} = {_written(gradients[last])}" if gradients else ""
    _draw_edge(ax, edge, f"{last} = {_written(values[last])}", label)

    for name, place in places.items():
        if name not in results:
            ax.annotate(name, place, ha="center", va="center", weight="bold")
        if shares[name]:
            below = -16 if name in results else -10
            _draw_sum(ax, place, name, shares[name], below)

    xs, ys = zip(*places.values(), strict=True)
    ax.set(xlim=(min(xs) - 0.5, max(xs) + COLUMN), ylim=(min(ys) - 0.55, max(ys) + 0.45))
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def gradient_color() -> str:
    """Return the color of what goes backward, which fits the page."""
    return PINK if is_dark() else GRADIENT_COLOR


def _places(steps: Sequence[Step]) -> dict[str, Point]:
    """Return the place of each name.

    A result is one column after the last of its inputs, in the mean of the rows of those that have
    a place already. Further inputs are at the left of it, below those.
    """
    columns: dict[str, int] = {}
    rows: dict[str, float] = {}
    for number, (name, _, inputs) in enumerate(steps):
        old = [source for source in inputs if source in rows]
        new = [source for source in inputs if source not in rows]
        columns[name] = 1 + max([columns[source] for source in old], default=0)
        if old:
            rows[name] = sum(rows[source] for source in old) / len(old)
            highest = rows[name] - 1
        else:
            rows[name] = 0.0
            highest = (len(new) - 1) * APART_INPUTS / 2
        for i, source in enumerate(new):
            columns[source] = columns[name] - 1
            rows[source] = highest - i * APART_INPUTS

        # where all inputs are used again, one row up, so that the later use passes below
        used_later: set[str] = set()
        for _, _, later_inputs in steps[number + 1 :]:
            used_later.update(later_inputs)
        if used_later.issuperset(inputs):
            rows[name] += RAISED
    return {name: (COLUMN * columns[name], rows[name]) for name in columns}


def _edge(start: Point, end: Point, start_size: Point, end_size: Point) -> tuple[Point, Point]:
    """Return the part of a line between two places that is outside of what is drawn there."""
    along = np.subtract(end, start)
    along = along / np.hypot(*along)
    first = np.add(start, along * _radius(along, start_size))
    last = np.subtract(end, along * _radius(along, end_size))
    return tuple(first), tuple(last)


def _radius(along: np.ndarray, size: Point) -> float:
    """Return how far from its middle a rectangle ends in a direction, and a little more."""
    ways = [half / abs(part) for half, part in zip(size, along, strict=True) if abs(part) > 1e-9]
    return min(ways) + 0.05


def _draw_edge(ax, edge: tuple[Point, Point], value: str, gradient: str) -> None:
    """Draw an arrow forward with a value beside it, and one back with a gradient, if it has one."""
    start, end = np.array(edge)
    along = (end - start) / np.hypot(*(end - start))
    across = np.array([-along[1], along[0]])  # upward, as edges go to the right
    # the labels of a long edge are away from those of the short ones that begin at the same place
    is_long = np.hypot(*(end - start)) > COLUMN
    place = start + (0.65 if is_long else 0.5) * (end - start)
    colors = {value: ink(), gradient: gradient_color()}
    for side, text in ((1, value), (-1, gradient)):
        if not text:
            continue
        tail, head = (start, end) if side > 0 else (end, start)
        shift = side * APART * across
        arrow = {"arrowstyle": "-|>", "color": colors[text], "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", head + shift, tail + shift, arrowprops=arrow)

        look = {"ha": "center", "va": "bottom" if side > 0 else "top"}
        distance = NEAR + 20 * abs(along[1])  # half of a label would meet a slope
        if abs(along[1]) > 0.35:
            look = {"ha": "left" if side * across[0] > 0 else "right", "va": "center"}
            distance = 1.5 * NEAR
        offset = side * distance * across
        label = ax.annotate(text, place, offset, textcoords="offset points", fontsize=9, **look)
        label.set_color(colors[text])


def _draw_operation(ax, place: Point, operation: str) -> None:
    box = {"boxstyle": "round,pad=0.45", "facecolor": page_color(ax), "edgecolor": ink()}
    ax.annotate(operation, place, ha="center", va="center", fontsize=9, bbox=box, zorder=3)


def _draw_sum(ax, place: Point, name: str, shares: Sequence, below: float) -> None:
    """Write below a name that its gradient is the sum of its shares."""
    total = _written(sum(shares))
    text = f"d{name} = {total}"
    if np.ndim(shares[0]) == 0:
        terms = " + ".join(_written(share) for share in shares)
        text = f"d{name} = {terms} = {total}"
    look = {"textcoords": "offset points", "ha": "center", "va": "top", "weight": "bold"}
    ax.annotate(text, place, (0, below), color=gradient_color(), fontsize=9, **look)


def _written(value) -> str:
    """Return a number with three digits, or a vector with two.

    >>> _written(1 / 3), _written(np.array([-1.234, 0.0]))
    ('0.333', '(-1.2, 0)')
    """
    if np.ndim(value):
        rounded = np.round(value, 9) + 0.0  # no -0
        numbers = ", ".join(f"{x:.2g}" for x in rounded)
        return f"({numbers})"
    return f"{float(value) + 0.0:.3g}"
