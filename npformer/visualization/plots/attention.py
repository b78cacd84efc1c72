"""Attention as heat maps."""

from collections.abc import Sequence

import numpy as np

from ...utils import InputError
from .colors import GREY, contrasting, weight_colors
from .fonts import drawable

MAX_LABELLED = 20  # tokens or classes up to which cells are large enough for a number
GRID_POINTS = 7  # size of letters in a grid of maps


def plot_attention(
    ax,
    weights,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    title: str = "",
    colorbar: bool = True,
    digits: int = 1,
):
    """Draw weights (T, S) as a heat map, one row per query token and one column per key token; return the Axes.

    For up to 20 keys, weights of at least 0.2 are printed in their cells, or all when `digits` > 1. `map_size` gives
    the size of the figure. Raises `InputError` when the weights are not of shape (queries, keys).
    """
    weights = checked_weights(weights, queries, keys, axes="(T, S)")
    image = draw_map(ax, weights, queries, keys, title=title)
    for (row, column), weight in np.ndenumerate(weights):
        if len(keys) <= MAX_LABELLED and (weight >= 0.2 or digits > 1):
            color = contrasting(image.to_rgba(weight))
            ax.text(
                column,
                row,
                f"{weight:.{digits}f}",
                ha="center",
                va="center",
                color=color,
                fontsize=8,
            )
    if colorbar:
        weight_bar(image, ax)
    return ax


def grid_shape(n_layers: int, n_heads: int, *, n_keys: int = 1) -> tuple[int, int]:
    """Return the rows and columns of a grid: one row per layer, but rows of up to four heads for a single layer.

    >>> grid_shape(6, 8), grid_shape(1, 8), grid_shape(1, 5), grid_shape(1, 2), grid_shape(1, 8, n_keys=50)
    ((6, 8), (2, 4), (2, 3), (1, 2), (4, 2))
    """
    if n_layers > 1:
        return n_layers, n_heads
    n_rows = -(-n_heads // min(4, max(100 // n_keys, 1)))
    return n_rows, -(-n_heads // n_rows)


def plot_attention_grid(
    axes, weights, queries: Sequence[str], keys: Sequence[str], *, heads: Sequence[int] = ()
):
    """Draw weights (H, T, S) of a layer, or (layers, H, T, S) of several, into an array of Axes; return the array.

    `axes` is what `new_figure(*grid_shape(n_layers, n_heads))` returns besides the figure, and `grid_size` gives the
    size of that. Maps follow each other layer by layer. `heads` chooses among the heads, counted from 0 (default: all);
    titles count layers and heads from 1.

    Raises `InputError` when the shape does not fit the tokens, a head is unknown, or there are too few Axes.
    """
    one_layer = np.ndim(weights) == 3
    weights = checked_weights(
        weights, queries, keys, axes="(H, T, S)" if one_layer else "(layers, H, T, S)"
    )
    weights = weights[None] if one_layer else weights
    heads = checked_choice("head", heads, weights.shape[1])
    every = np.ravel(axes)
    n_maps = len(weights) * len(heads)
    if every.size < n_maps:
        raise InputError(
            f"{n_maps} heat maps do not fit {every.size} Axes: make them with grid_shape"
        )
    for number, ax in enumerate(every):
        if number >= n_maps:
            ax.set_visible(False)
            continue
        layer, head = number // len(heads), heads[number % len(heads)]
        title = f"head {head + 1}" if one_layer else f"layer {layer + 1}, head {head + 1}"
        image = draw_map(ax, weights[layer, head], queries, keys, title=title, size=GRID_POINTS)
        ax.label_outer()
    weight_bar(image, every, size=GRID_POINTS)
    return axes


def draw_map(
    ax,
    weights,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    title: str,
    size: float | None = None,
):
    """Draw a heat map of numbers from 0 to 1 and its tokens, in letters of `size` points, and return the image."""
    image = ax.imshow(
        weights, cmap=weight_colors(ax), vmin=0, vmax=1, aspect="auto", interpolation="nearest"
    )
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelsize=size)
    turn = (
        {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
        if len(keys) <= MAX_LABELLED
        else {"rotation": 90}
    )
    for set_ticks, tokens, more in ((ax.set_xticks, keys, turn), (ax.set_yticks, queries, {})):
        labels, settings = drawable(tokens)
        set_ticks(range(len(labels)), labels, **settings, **more)
        set_ticks(np.arange(1, len(labels)) - 0.5, minor=True)
    ax.tick_params(which="minor", length=0)
    ax.grid(which="minor", color=GREY, alpha=0.3, linewidth=0.4)
    ax.set_title(title, fontsize=size and size + 1)
    return image


def weight_bar(image, axes, *, size: float | None = None, label: str = "attention weight") -> None:
    """Draw the color bar of one Axes or an array of them."""
    bar = image.axes.figure.colorbar(image, ax=axes, fraction=0.04, pad=0.02, aspect=30)
    bar.ax.tick_params(labelsize=size)
    bar.set_label(label, size=size and size + 1)


def checked_weights(
    weights, queries: Sequence[str], keys: Sequence[str], *, axes: str
) -> np.ndarray:
    """Return weights as an array. Raises `InputError` unless it has the axes that `axes` names and fits the tokens."""
    weights = np.asarray(weights)
    if weights.ndim != axes.count(",") + 1 or weights.shape[-2:] != (len(queries), len(keys)):
        tokens = f"T = {len(queries)} query tokens and S = {len(keys)} key tokens"
        raise InputError(
            f"attention weights have shape {weights.shape}: expected {axes} with {tokens}"
        )
    return weights


def checked_choice(what: str, chosen: Sequence[int], number: int) -> list[int]:
    """Return what was chosen, or all of 0 .. number - 1. Raises `InputError` when one is not among these."""
    if unknown := [one for one in chosen if one not in range(number)]:
        raise InputError(f"{what} {unknown[0]} is unknown: expected 0 to {number - 1}")
    return list(chosen) or list(range(number))
