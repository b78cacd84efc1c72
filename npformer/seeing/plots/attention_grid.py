"""Attention of many heads, a small heat map each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.errors import InputError
from .attention import checked_weights, draw_map, weight_bar

LETTERS = 7  # points


def grid_shape(n_layers: int, n_heads: int, *, n_keys: int = 1) -> tuple[int, int]:
    """Return the rows and columns of a grid: a row a layer, but the heads of a lone layer in rows of up to four.

    Rows are shorter where `n_keys` tokens make the maps wide.

    >>> grid_shape(6, 8), grid_shape(1, 8), grid_shape(1, 5), grid_shape(1, 2), grid_shape(1, 8, n_keys=50)
    ((6, 8), (2, 4), (2, 3), (1, 2), (4, 2))
    """
    if n_layers > 1:
        return n_layers, n_heads
    n_rows = -(-n_heads // min(4, max(100 // n_keys, 1)))
    return n_rows, -(-n_heads // n_rows)


def plot_attention_grid(axes, weights, queries: Sequence[str], keys: Sequence[str], *, heads: Sequence[int] = ()):
    """Draw weights (H, T, S) of a layer, or (layers, H, T, S) of several, into an array of Axes; return the array.

    `axes` is what `new_figure(*grid_shape(n_layers, n_heads))` returns beside the figure, and `grid_size` says how
    large that should be. Maps follow each other in reading order, layer by layer; Axes that are left over are hidden.
    `heads` chooses among the heads, counted from 0 (default: all); titles count layers and heads from 1. Tokens stand
    on the left and at the top of the grid.

    Raises `InputError` when the shape does not fit the tokens, a head is unknown, or there are too few Axes.
    """
    one_layer = np.ndim(weights) == 3
    weights = checked_weights(weights, queries, keys, axes="(H, T, S)" if one_layer else "(layers, H, T, S)")
    weights = weights[None] if one_layer else weights
    heads = checked_choice("head", heads, weights.shape[1])
    every = np.ravel(axes)
    n_maps = len(weights) * len(heads)
    if every.size < n_maps:
        raise InputError(f"{n_maps} heat maps do not fit {every.size} Axes: make them with grid_shape")
    for number, ax in enumerate(every):
        if number >= n_maps:
            ax.set_visible(False)
            continue
        layer, head = number // len(heads), heads[number % len(heads)]
        title = f"head {head + 1}" if one_layer else f"layer {layer + 1}, head {head + 1}"
        image = draw_map(ax, weights[layer, head], queries, keys, title=title, size=LETTERS)
        ax.label_outer()
    weight_bar(image, every, size=LETTERS)
    return axes


def checked_choice(what: str, chosen: Sequence[int], number: int) -> list[int]:
    """Return what was chosen, or all of 0 .. number - 1. Raises `InputError` when one is not among these."""
    if wrong := [one for one in chosen if one not in range(number)]:
        raise InputError(f"{what} {wrong[0]} is unknown: expected 0 to {number - 1}")
    return list(chosen) or list(range(number))
