"""All heads of an attention side by side: how much each looks at what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.utils.errors import InputError, import_optional
from npformer.visualization.plots.colors import ORANGE, contrasting, weight_colors


def plot_heads(ax, shares, chance, things: Sequence[str], *, title: str = ""):
    """Draw the share of its weight that each head gives to some things; return the Axes.

    There is one row per head, called layer.head. The last row, set apart, has what equal
    weights would give. Dark is much. The head that looks most at a thing is outlined, where that is
    at least twice chance.

    Raises `InputError` when the shapes do not fit.

    Arguments:
        ax: the Axes
        shares: (layers, H, things)
        chance: the shares of equal weights (things,)
        things: their names
        title: of the Axes
    """
    shares = np.asarray(shares, float)
    chance = np.asarray(chance, float)
    if shares.ndim != 3 or not shares.shape[2] == len(chance) == len(things):
        raise InputError(
            f"shares of shape {shares.shape} and chance of shape {chance.shape}: "
            f"expected (layers, H, {len(things)}) and ({len(things)},), "
            "for the things that are named"
        )

    n_layers, n_heads, n_things = shares.shape
    n_rows = n_layers * n_heads
    rows = np.concatenate([shares.reshape(n_rows, n_things), chance[None]])
    heights = [*range(n_rows), n_rows + 0.4]  # the last row is set apart
    best = rows[:-1].argmax(0)
    for (row, column), share in np.ndenumerate(rows):
        is_best = row == best[column] and share >= 2 * chance[column]
        _draw_cell(ax, column, heights[row], share, outlined=is_best)
    for layer in range(1, n_layers):
        ax.axhline(layer * n_heads - 0.5, color="0.6", linewidth=0.8)

    names = []
    for layer in range(n_layers):
        for head in range(n_heads):
            names.append(f"{layer}.{head}")
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


def _draw_cell(ax, column: int, height: float, share: float, *, outlined: bool) -> None:
    rectangle = import_optional("matplotlib.patches", "npformer").Rectangle
    corner = (column - 0.47, height - 0.45)
    color = weight_colors(ax)(min(share, 1.0))
    ax.add_patch(rectangle(corner, 0.94, 0.9, facecolor=color, edgecolor="none"))
    if outlined:
        ax.add_patch(rectangle(corner, 0.94, 0.9, fill=False, edgecolor=ORANGE, linewidth=2.5))
    ax.text(
        column,
        height,
        f"{share:.2f}",
        ha="center",
        va="center",
        fontsize="small",
        weight="bold" if outlined else "normal",
        color=contrasting(color),
    )
