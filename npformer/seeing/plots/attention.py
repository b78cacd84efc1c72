"""Attention as a heat map: one head, or a mean over heads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from .colours import GREY, contrasting, weight_colours
from .fonts import drawable

SMALL = 20  # tokens up to which a map has large cells


def plot_attention(
    ax, weights, queries: Sequence[str], keys: Sequence[str], *, title: str = "", colorbar: bool = True, digits: int = 1
):
    """Draw weights (T, S) as a heat map, one row a query token and one column a key token; return the Axes.

    0 has the colour of the page and 1 stands out from it most; weights of at least 0.2 are printed in their cells, to
    so many `digits`, while these are large enough. `map_size` says how large a figure should be. Raises `InputError`
    when the weights are not of shape (queries, keys).
    """
    weights = checked_weights(weights, queries, keys, axes="(T, S)")
    image = draw_map(ax, weights, queries, keys, title=title)
    if len(keys) <= SMALL:
        write_weights(ax, weights, image, digits)
    if colorbar:
        weight_bar(image, ax)
    return ax


def checked_weights(weights, queries: Sequence[str], keys: Sequence[str], *, axes: str) -> np.ndarray:
    """Return weights as an array. Raises `InputError` unless it has the axes that `axes` names and fits the tokens."""
    weights = np.asarray(weights)
    if weights.ndim != axes.count(",") + 1 or weights.shape[-2:] != (len(queries), len(keys)):
        raise InputError(
            f"attention weights have shape {weights.shape}: expected {axes} with T = {len(queries)} query tokens and "
            f"S = {len(keys)} key tokens"
        )
    return weights


def draw_map(ax, weights, queries: Sequence[str], keys: Sequence[str], *, title: str, size: float | None = None):
    """Draw the image and its tokens, in letters of `size` points, and return the image."""
    image = ax.imshow(weights, cmap=weight_colours(ax), vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=size)
    turn = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if len(keys) <= SMALL else {"rotation": 90}
    for set_ticks, tokens, more in ((ax.set_xticks, keys, turn), (ax.set_yticks, queries, {})):
        labels, how = drawable(tokens)
        set_ticks(range(len(labels)), labels, **how, **more)
        set_ticks(np.arange(1, len(labels)) - 0.5, minor=True)
    ax.tick_params(which="minor", length=0)
    ax.grid(which="minor", color=GREY, alpha=0.3, linewidth=0.4)
    if title:
        ax.set_title(title, fontsize=size and size + 1)
    return image


def weight_bar(image, axes, *, size: float | None = None) -> None:
    """Say beside one Axes or an array of them which colour is which weight, thinly in figures of any size."""
    figure = image.axes.figure
    width, height = (length / figure.dpi for length in figure.bbox.size)
    bar = figure.colorbar(
        image, ax=axes, label="attention weight", fraction=0.25 / width, pad=0.15 / width, aspect=5 * height
    )
    bar.ax.tick_params(labelsize=size)
    bar.ax.yaxis.label.set_size(size and size + 1)


def write_weights(ax, weights, image, digits: int) -> None:
    """Print the larger weights in their cells, in black or white."""
    for (row, column), weight in np.ndenumerate(weights):
        if weight >= 0.2:
            colour = contrasting(image.to_rgba(weight))
            ax.text(column, row, f"{weight:.{digits}f}", ha="center", va="center", color=colour, fontsize=8)
