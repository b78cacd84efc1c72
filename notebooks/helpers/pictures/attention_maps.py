"""Attention weights as heat maps, in one line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.utils.errors import InputError
from npformer.visualization.plots import (
    grid_shape,
    grid_size,
    map_size,
    new_figure,
    plot_attention,
    plot_attention_grid,
)


def show_attention(
    weights, rows: Sequence[str], columns: Sequence[str] | None = None, *, title: str = ""
):
    """Draw attention weights with their tokens, and return the figure.

    Raises `InputError` when the weights do not fit the tokens.

    Arguments:
        weights: (T, S), or (H, T, S) for a map per head; leading axes of length 1 do not matter
        rows: the tokens of the queries
        columns: the tokens of the keys, by default those of the queries
        title: of a single map

    >>> figure = show_attention(np.eye(2), ["the", "dog"])
    """
    columns = rows if columns is None else columns
    weights = np.asarray(weights)
    while weights.ndim > 2 and len(weights) == 1:
        weights = weights[0]
    if weights.ndim == 2:
        size = map_size(rows, columns)
        figure, ax = new_figure(width=size["width"], height=size["height"])
        plot_attention(ax, weights, rows, columns, title=title)
        return figure
    if weights.ndim != 3:
        raise InputError(
            f"weights have the shape {weights.shape}: expected (T, S), or (H, T, S) of all heads"
        )
    n_rows, n_columns = grid_shape(1, len(weights), n_keys=len(columns))
    size = grid_size(rows, columns, n_rows, n_columns)
    figure, axes = new_figure(n_rows, n_columns, width=size["width"], height=size["height"])
    plot_attention_grid(axes, weights, rows, columns)
    return figure
