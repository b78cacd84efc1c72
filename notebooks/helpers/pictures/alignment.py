"""Attention compared with the gold word alignment.

One picture is of a sentence, the other of error rates by layer and head.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from npformer.utils.errors import InputError, import_optional
from npformer.visualization.plots import plot_attention
from npformer.visualization.plots.colors import ORANGE


def plot_alignment(
    ax,
    weights,
    queries: Sequence[str],
    keys: Sequence[str],
    alignment: Collection[tuple[int, int]],
    *,
    title: str = "",
):
    """Draw weights as `plot_attention` does, outline the cells of the gold links; return the Axes.

    A link (i, j) is the cell of key i in row j. Over words that is `SentencePair.alignment`, when
    row j belongs to target word j: with `looked = sentence_attention(...)`,
    `looked.cross[layer, head]` with the queries `looked.written`, or
    `looked.cross[layer, head, 1:]` with `looked.read[1:]`.

    Raises `InputError` when a link is outside the weights.

    Arguments:
        ax: the Axes
        weights: (T, S)
        queries: the tokens of the rows
        keys: the tokens of the columns
        alignment: the gold links
        title: of the Axes
    """
    n_rows, n_columns = np.shape(weights)
    plot_attention(ax, weights, queries, keys, title=title)
    for i, j in alignment:
        if not (0 <= i < n_columns and 0 <= j < n_rows):
            raise InputError(
                f"link ({i}, {j}) is outside weights of {n_rows} rows and {n_columns} columns: "
                "expected links (column, row) of these tokens"
            )
        _outline(ax, i, j)
    ax.set_xlabel("keys; outlined: the gold links")
    return ax


def plot_error_rates(ax, rates, *, title: str = ""):
    """Draw alignment error rates, as `attention_error_rates` returns them; return the Axes.

    The rates are (layers, H + 1): one row per layer, one column per head, and the last column for
    the mean of the heads. They are shown in per cent. Dark is good, and the best is outlined.
    """
    percent = 100 * np.asarray(rates)
    n_layers, n_columns = percent.shape
    image = ax.imshow(percent, cmap="Blues_r", vmin=0, vmax=100, aspect="auto")

    heads = [f"head {n}" for n in range(n_columns - 1)]
    layers = [f"layer {n}" for n in range(n_layers)]
    ax.set_xticks(range(n_columns), [*heads, "mean"])
    ax.set_yticks(range(n_layers), layers)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)

    best = np.unravel_index(percent.argmin(), percent.shape)
    for (row, column), rate in np.ndenumerate(percent):
        ax.text(
            column,
            row,
            f"{rate:.1f}",
            ha="center",
            va="center",
            color="white" if rate < 45 else "black",
            weight="bold" if (row, column) == best else "normal",
        )
    ax.axvline(n_columns - 1.5, color="white", linewidth=4)
    _outline(ax, int(best[1]), int(best[0]))

    if title:
        ax.set_title(title)
    ax.figure.colorbar(image, ax=ax, label="alignment error rate (%)", fraction=0.04)
    return ax


def _outline(ax, column: int, row: int) -> None:
    rectangle = import_optional("matplotlib.patches", "npformer").Rectangle
    corner = (column - 0.44, row - 0.44)
    ax.add_patch(rectangle(corner, 0.88, 0.88, fill=False, edgecolor=ORANGE, linewidth=2.5))
