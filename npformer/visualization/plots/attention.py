"""Attention as heat maps."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...utils import InputError
from .colors import GREY, contrasting, weight_colors
from .fonts import drawable

MAX_LABELLED = 20  # tokens or classes up to which cells are large enough for a number
GRID_POINTS = 7  # size of letters in a grid of maps


def plot_attention(
    ax: Any,
    weights: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    title: str = "",
    colorbar: bool = True,
    digits: int = 1,
) -> Any:
    """Draw weights as a heat map, one row per query token and one column per key token.

    For up to 20 keys, weights of at least 0.2 are printed in their cells, or all when `digits` > 1.
    The Axes are returned. Raises `InputError` when the weights are not of shape (queries, keys).

    Arguments:
        ax: The Axes; `map_size` gives the size of the figure.
        weights: The weights (T, S).
        queries: The query tokens.
        keys: The key tokens.
        title: The title.
        colorbar: Whether there is a color bar.
        digits: The digits of the numbers in cells.
    """
    weights = checked_weights(weights, queries, keys, axes="(T, S)")
    image = draw_map(ax, weights, queries, keys, title=title)
    if len(keys) <= MAX_LABELLED:
        for (row, column), weight in np.ndenumerate(weights):
            if weight < 0.2 and digits <= 1:
                continue
            color = contrasting(image.to_rgba(weight))
            text = f"{weight:.{digits}f}"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=8)
    if colorbar:
        weight_bar(image, ax)
    return ax


def grid_shape(n_layers: int, n_heads: int, *, n_keys: int = 1) -> tuple[int, int]:
    """Return the rows and columns of a grid: one row per layer.

    For a single layer these are rows of up to four heads.

    >>> grid_shape(6, 8), grid_shape(1, 8), grid_shape(1, 5), grid_shape(1, 2)
    ((6, 8), (2, 4), (2, 3), (1, 2))
    >>> grid_shape(1, 8, n_keys=50)
    (4, 2)
    """
    if n_layers > 1:
        return n_layers, n_heads
    # of long sentences fewer maps fit side by side
    largest_row = min(4, max(100 // n_keys, 1))
    n_rows = math.ceil(n_heads / largest_row)
    return n_rows, math.ceil(n_heads / n_rows)


def plot_attention_grid(
    axes: Any,
    weights: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    heads: Sequence[int] = (),
) -> Any:
    """Draw the weights of several heads into an array of Axes, which is returned.

    Maps follow each other layer by layer. Titles count layers and heads from 0.

    Raises `InputError` when the shape does not fit the tokens, a head is unknown, or there are too
    few Axes.

    Arguments:
        axes: What `new_figure(*grid_shape(n_layers, n_heads))` returns besides the figure;
            `grid_size` gives the size of that.
        weights: The weights (H, T, S) of a layer, or (layers, H, T, S) of several.
        queries: The query tokens.
        keys: The key tokens.
        heads: The heads to draw, counted from 0; all by default.
    """
    is_one_layer = np.ndim(weights) == 3
    shape = "(H, T, S)" if is_one_layer else "(layers, H, T, S)"
    weights = checked_weights(weights, queries, keys, axes=shape)
    if is_one_layer:
        weights = weights[None]
    heads = checked_choice("head", heads, weights.shape[1])
    places = []
    for layer in range(len(weights)):
        for head in heads:
            places.append((layer, head))
    all_axes = np.ravel(axes)
    if all_axes.size < len(places):
        raise InputError(
            f"{len(places)} heat maps do not fit {all_axes.size} Axes: make them with grid_shape"
        )

    for ax, (layer, head) in zip(all_axes, places, strict=False):
        title = f"head {head}"
        if not is_one_layer:
            title = f"layer {layer}, {title}"
        image = draw_map(ax, weights[layer, head], queries, keys, title=title, size=GRID_POINTS)
        # the tokens are written once, at the outer maps of the grid
        ax.label_outer()
    for ax in all_axes[len(places) :]:
        ax.set_visible(False)
    weight_bar(image, all_axes, size=GRID_POINTS)
    return axes


def draw_map(
    ax: Any,
    weights: Any,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    title: str,
    size: float | None = None,
) -> Any:
    """Draw a heat map of numbers from 0 to 1 and its tokens, and return the image.

    `size` is that of the letters, in points.
    """
    image = ax.imshow(
        weights, cmap=weight_colors(ax), vmin=0, vmax=1, aspect="auto", interpolation="nearest"
    )
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=size)
    turn: dict[str, Any] = {"rotation": 90}
    if len(keys) <= MAX_LABELLED:
        turn = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
    labels, settings = drawable(keys)
    ax.set_xticks(range(len(labels)), labels, **settings, **turn)
    # minor ticks are between two cells, for the lines of the grid
    ax.set_xticks(np.arange(1, len(labels)) - 0.5, minor=True)
    labels, settings = drawable(queries)
    ax.set_yticks(range(len(labels)), labels, **settings)
    ax.set_yticks(np.arange(1, len(labels)) - 0.5, minor=True)
    ax.tick_params(which="minor", length=0)
    ax.grid(which="minor", color=GREY, alpha=0.3, linewidth=0.4)
    # where size is None, so is this: matplotlib's own sizes
    ax.set_title(title, fontsize=size and size + 1)
    return image


def weight_bar(
    image: Any, axes: Any, *, size: float | None = None, label: str = "attention weight"
) -> None:
    """Draw the color bar of one Axes or an array of them."""
    bar = image.axes.figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, aspect=30)
    bar.ax.tick_params(labelsize=size)
    bar.set_label(label, size=size and size + 1)


def checked_weights(
    weights: Any, queries: Sequence[str], keys: Sequence[str], *, axes: str
) -> np.ndarray:
    """Return weights as an array.

    Raises `InputError` unless it has the axes that `axes` names and fits the tokens.
    """
    weights = np.ma.asarray(weights, float).filled(np.nan)  # what is masked is not drawn
    if weights.ndim != axes.count(",") + 1 or weights.shape[-2:] != (len(queries), len(keys)):
        tokens = f"T = {len(queries)} query tokens and S = {len(keys)} key tokens"
        raise InputError(
            f"attention weights have shape {weights.shape}: expected {axes} with {tokens}"
        )
    return weights


def checked_choice(what: str, chosen: Sequence[int], number: int) -> list[int]:
    """Return what was chosen, or all of 0 .. number - 1.

    Raises `InputError` when one is not among these.
    """
    for one in chosen:
        if one not in range(number):
            raise InputError(f"{what} {one} is unknown: expected 0 to {number - 1}")
    return list(chosen) or list(range(number))
