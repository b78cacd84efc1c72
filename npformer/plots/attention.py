"""Attention as a heat map."""

from __future__ import annotations

from collections.abc import Sequence


def plot_attention(ax, weights, queries: Sequence[str], keys: Sequence[str], *, title: str = ""):
    """Draw weights (T, S) as a heat map, one row a query token and one column a key token; return the Axes.

    Dark is 1 and white is 0; weights of at least 0.2 are printed in their cells while these are large enough.
    """
    image = ax.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(keys)), keys, rotation=45, ha="left", rotation_mode="anchor")
    ax.set_yticks(range(len(queries)), queries)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]:
        label.set_parse_math(False)  # a token may hold dollar signs
    if len(keys) <= 20:
        for row, row_weights in enumerate(weights):
            for column, weight in enumerate(row_weights):
                if weight >= 0.2:
                    colour = "white" if weight > 0.55 else "black"
                    ax.text(column, row, f"{weight:.1f}", ha="center", va="center", color=colour, fontsize=8)
    if title:
        ax.set_title(title)
    ax.figure.colorbar(image, ax=ax, label="attention weight", fraction=0.04)
    return ax
