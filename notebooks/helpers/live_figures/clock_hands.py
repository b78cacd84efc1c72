"""Positions as the hands of clocks: each pair of sinusoids is a hand that turns at its own rate."""

from __future__ import annotations

import numpy as np

from npformer.layers.positional_encoding import sinusoids
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .frame import LiveFigure, Slider

START = 10
OTHER = 0
LAST = 100  # position of the sliders


def live_clock_hands(d_model: int = 16) -> LiveFigure:
    """Return a figure with a clock for each pair of sinusoids, and sliders for two positions.

    Arguments:
        d_model: an even number of features
    """
    positions = list(range(LAST + 1))
    return LiveFigure(
        "clock_hands.js",
        "A position is a row of clocks",
        "A clock for each pair of features, with a solid hand for one position and a dashed hand "
        "for another.",
        [
            Slider("position", "position (solid)", positions, START),
            Slider("other", "other (dashed)", positions, OTHER),
        ],
        {"d_model": d_model},
        _picture(d_model),
    )


def _picture(d_model: int):
    """Draw the hands of both positions."""
    table = sinusoids(LAST + 1, d_model)
    n_pairs = d_model // 2
    figure, axes = new_figure(1, n_pairs, width=1.1 * n_pairs, height=1.6)
    around = np.linspace(0, 2 * np.pi, 100)
    for pair, ax in enumerate(np.ravel(axes)):
        ax.plot(np.sin(around), np.cos(around), color=GREY, linewidth=0.8)
        for position, color, style in ((OTHER, ORANGE, "--"), (START, main_color(), "-")):
            sine, cosine = table[position, 2 * pair : 2 * pair + 2]
            ax.plot([0, sine], [0, cosine], style, color=color, linewidth=2)
        ax.set(title=f"{2 * pair}, {2 * pair + 1}", aspect="equal")
        ax.set_axis_off()
    figure.suptitle(f"features of position {START} (solid) and {OTHER} (dashed)", fontsize=10)
    return figure
