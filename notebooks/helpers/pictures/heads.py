"""All heads of an attention side by side: how much each looks at what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.utils.errors import InputError, import_optional
from npformer.visualization.plots.colors import ORANGE, contrasting, weight_colors


def plot_heads(ax, shares, chance, things: Sequence[str], *, title: str = ""):
    """Draw which share of its weight each head gives to some things, one row per head; return the Axes.

    `shares` is (layers, H, things). The last row, set apart, has what looking everywhere alike would give, `chance`
    (things,). Dark is much; the head that looks most at a thing is outlined, where that is at least twice chance. Rows
    are called layer.head, from 1.

    Raises `InputError` when the shapes do not fit.
    """
    shares, chance = np.asarray(shares, float), np.asarray(chance, float)
    if shares.ndim != 3 or not shares.shape[2] == len(chance) == len(things):
        came = f"shares of shape {shares.shape} and chance of shape {chance.shape}"
        raise InputError(
            f"{came}: expected (layers, H, {len(things)}) and ({len(things)},), for the things that are named"
        )
    n_layers, n_heads, n_things = shares.shape
    rows = np.concatenate([shares.reshape(-1, n_things), chance[None]])
    heights = np.array([*range(n_layers * n_heads), n_layers * n_heads + 0.4])
    colors, patch = weight_colors(ax), import_optional("matplotlib.patches", "npformer").Rectangle
    best = rows[:-1].argmax(0)
    for (row, column), share in np.ndenumerate(rows):
        corner, color = (column - 0.47, heights[row] - 0.45), colors(min(share, 1.0))
        ax.add_patch(patch(corner, 0.94, 0.9, facecolor=color, edgecolor="none"))
        bold = row == best[column] and share >= 2 * chance[column]
        if bold:
            ax.add_patch(patch(corner, 0.94, 0.9, fill=False, edgecolor=ORANGE, linewidth=2.5))
        weight = "bold" if bold else "normal"
        style = {"ha": "center", "va": "center", "fontsize": "small", "weight": weight}
        ax.text(column, heights[row], f"{share:.2f}", color=contrasting(color), **style)
    for layer in range(1, n_layers):
        ax.axhline(layer * n_heads - 0.5, color="0.6", linewidth=0.8)
    names = [f"{layer}.{head}" for layer in range(1, n_layers + 1) for head in range(1, n_heads + 1)]
    ax.set_yticks(heights, [*names, "chance"])
    ax.set_xticks(range(n_things), things)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set(xlim=(-0.55, n_things - 0.45), ylim=(heights[-1] + 0.55, -0.55))
    for side in ax.spines.values():
        side.set_visible(False)
    if title:
        ax.set_title(title)
    return ax
