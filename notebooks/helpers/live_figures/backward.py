"""Gradients that go back along a graph of numbers, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from npformer.visualization.plots import new_figure

from ..pictures import plot_graph
from .frame import LiveFigure, Slider

N_STEPS = 6
GRAPH = [
    ("a", "times", ("w", "x")),
    ("b", "plus", ("a", "c")),
    ("y", "relu", ("b",)),
    ("e", "minus", ("y", "t")),
    ("L", "square", ("e",)),
]


def live_backward(values: Mapping[str, float]) -> LiveFigure:
    """Return the graph of L = (max(0, w x + c) - t)^2, with sliders for the step, w and c.

    The sliders of w and c start at the given values; x and t stay.

    Arguments:
        values: the numbers w, c, x, t, a = w x, b = a + c, y = max(0, b), e = y - t and L = e^2
    """
    figure, ax = new_figure(width=8.5, height=2.3)
    plot_graph(ax, GRAPH, values, gradients_of(values))
    return LiveFigure(
        "backward.js",
        "The gradient goes back, one operation at a time",
        "A graph from w, x, c and t to L, with the value at each edge, and the gradient at each "
        "edge that backward has reached.",
        [
            Slider("step", "step of backward", list(range(N_STEPS + 1)), 0),
            Slider("c", "c", _choices(range(-8, 4), values["c"]), values["c"]),
            Slider("w", "w", _choices(range(-2, 5), values["w"]), values["w"]),
        ],
        {"x": values["x"], "t": values["t"]},
        figure,
    )


def gradients_of(values: Mapping[str, float]) -> dict[str, float]:
    """Return the gradient of L with respect to each number of the graph, by name.

    >>> gradients_of({"w": 2, "x": 3, "b": 5, "e": -2})["w"]
    -12
    """
    de = 2 * values["e"]
    db = de if values["b"] > 0 else 0.0
    found = {"L": 1.0, "e": de, "y": de, "t": -de, "b": db, "a": db, "c": db}
    found["w"] = values["x"] * db
    found["x"] = values["w"] * db
    return found


def _choices(whole_numbers, start: float) -> list[float]:
    """Return the values of a slider, with the one at its start.

    >>> _choices(range(3), 0.5)
    [0, 0.5, 1, 2]
    """
    return sorted({*whole_numbers, start})
