"""Attention as lines from token to token, as in the paper's figures 3 to 5."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import cycle, islice

from matplotlib.collections import LineCollection

from npformer.visualization.plots.attention import checked_choice, checked_weights
from npformer.visualization.plots.colors import (
    AMBER,
    GREEN,
    GREY,
    ORANGE,
    PINK,
    SKY,
    YELLOW,
    ink,
    is_dark,
    main_color,
)
from npformer.visualization.plots.figures import MIN_WIDTH, widest
from npformer.visualization.plots.fonts import drawable

FAINTEST = 0.02  # the least weight that has a line


def lines_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention_lines`."""
    width = max(widest(queries) + widest(keys) + 3.2, MIN_WIDTH)
    height = 0.28 * max(len(queries), len(keys)) + 1.3
    return {"width": width, "height": height}


def plot_attention_lines(
    ax,
    weights,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    heads: Sequence[int] = (),
    only: Sequence[int] = (),
    names: tuple[str, str] = ("queries", "keys"),
    title: str = "",
):
    """Draw weights as lines from each query, on the left, to the keys, on the right.

    Returns the Axes. A line is as opaque as its weight; weights below 0.02 have none. Each head has
    a color, and its lines end a little below those of the head before. The legend counts heads from
    1. `lines_size` gives the size of the figure.

    Raises `InputError` when the shape does not fit the tokens, or a head or a query is unknown.

    Arguments:
        ax: the Axes
        weights: (H, T, S)
        queries: their tokens
        keys: their tokens
        heads: which heads are drawn, counted from 0 (default: all)
        only: which queries have lines, counted from 0 (default: all)
        names: the titles of the two columns
        title: of the Axes
    """
    weights = checked_weights(weights, queries, keys, axes="(H, T, S)")
    heads = checked_choice("head", heads, len(weights))
    rows = checked_choice("query", only, len(queries))
    ax.set(xlim=(0, 1), ylim=(max(len(queries), len(keys)) - 0.5, -0.5))
    ax.set_axis_off()
    _write_column(ax, queries, names[0], x=0, strong=rows)
    _write_column(ax, keys, names[1], x=1, strong=range(len(keys)))

    for place, (head, color) in enumerate(zip(heads, head_colors(len(heads)), strict=True)):
        shift = 0.6 * ((place + 0.5) / len(heads) - 0.5)  # of a row's height
        lines = []
        alphas = []
        for row in rows:
            for key, weight in enumerate(weights[head, row]):
                if weight >= FAINTEST:
                    lines.append([(0, row + shift), (1, key + shift)])
                    alphas.append(min(float(weight), 1))  # rounding may give more than 1
        width = min(2, 10 / len(heads))
        ax.add_collection(LineCollection(lines, colors=color, alpha=alphas, linewidths=width))
        ax.plot([], [], color=color, linewidth=3, label=f"head {head}")  # for the legend

    n_columns = min(len(heads), 4)
    if len(heads) > 1:
        ax.legend(
            loc="lower center",
            bbox_to_anchor=(0.5, 1),
            ncols=n_columns,
            frameon=False,
            fontsize=8,
            # narrow, to fit between the names of the columns
            handlelength=1,
            handletextpad=0.4,
            columnspacing=1,
        )
    n_legend_rows = math.ceil(len(heads) / n_columns)
    ax.set_title(title, pad=10 + 14 * n_legend_rows)
    return ax


def _write_column(ax, tokens: Sequence[str], name: str, *, x: int, strong: Sequence[int]) -> None:
    """Write tokens one below the other, outside the lines; those not `strong` are faint."""
    write = partial(
        ax.annotate,
        xytext=(8 if x else -8, 0),
        textcoords="offset points",
        ha="left" if x else "right",
        va="center",
        annotation_clip=False,
    )
    labels, text_settings = drawable(tokens)
    for row, label in enumerate(labels):
        alpha = 1 if row in strong else 0.35
        write(label, (x, row), alpha=alpha, **text_settings)
    write(name, (x, -1), fontsize=8, style="italic")


def head_colors(number: int) -> Sequence[str]:
    """Return a color per head; they repeat after eight."""
    sixth = YELLOW if is_dark() else SKY
    eight = (main_color(), ORANGE, GREEN, PINK, AMBER, sixth, ink(), GREY)
    return list(islice(cycle(eight), number))
