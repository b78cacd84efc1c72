"""Attention as lines from token to token, as in the paper's figures 3 to 5."""

from collections.abc import Sequence

from matplotlib.collections import LineCollection

from npformer.visualization.plots.attention import checked_choice, checked_weights
from npformer.visualization.plots.colors import AMBER, GREEN, GREY, ORANGE, PINK, SKY, YELLOW, ink, is_dark, main_color
from npformer.visualization.plots.figures import MIN_WIDTH, widest
from npformer.visualization.plots.fonts import drawable

FAINTEST = 0.02  # the least weight that has a line


def lines_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention_lines`."""
    width = widest(queries) + widest(keys) + 3.2
    return {"width": max(width, MIN_WIDTH), "height": 0.28 * max(len(queries), len(keys)) + 1.3}


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
    """Draw weights (H, T, S) as lines from each query, on the left, to the keys, on the right; return the Axes.

    A line is as opaque as its weight; weights below 0.02 have none. Each head has a color, and its lines end a little
    below those of the head before. `heads` chooses among the heads and `only` among the queries, counted from 0
    (default: all); the legend counts heads from 1. `names` are the titles of the two columns. `lines_size` gives the
    size of the figure.

    Raises `InputError` when the shape does not fit the tokens, or a head or a query is unknown.
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
        ends = [(row, key) for row in rows for key in range(len(keys)) if weights[head, row, key] >= FAINTEST]
        lines = [((0, row + shift), (1, key + shift)) for row, key in ends]
        alpha = [min(float(weights[head, row, key]), 1) for row, key in ends]
        ax.add_collection(LineCollection(lines, colors=color, alpha=alpha, linewidths=min(2, 10 / len(heads))))
        ax.plot([], [], color=color, linewidth=3, label=f"head {head + 1}")
    n_columns = min(len(heads), 4)
    if len(heads) > 1:
        narrow = {"handlelength": 1, "handletextpad": 0.4, "columnspacing": 1}  # between the names of the columns
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=n_columns, frameon=False, fontsize=8, **narrow)
    ax.set_title(title, pad=10 + 14 * -(-len(heads) // n_columns))
    return ax


def _write_column(ax, tokens: Sequence[str], name: str, *, x: int, strong: Sequence[int]) -> None:
    """Write tokens one below the other, outside the lines; those not `strong` are faint."""
    side = {"xytext": (8 * (2 * x - 1), 0), "textcoords": "offset points", "ha": "left" if x else "right"}
    labels, settings = drawable(tokens)
    for row, label in enumerate(labels):
        alpha = 1 if row in strong else 0.35
        ax.annotate(label, (x, row), **side, **settings, va="center", alpha=alpha, annotation_clip=False)
    ax.annotate(name, (x, -1), **side, va="center", fontsize=8, style="italic", annotation_clip=False)


def head_colors(number: int) -> Sequence[str]:
    """Return a color per head; they repeat after eight."""
    eight = (main_color(), ORANGE, GREEN, PINK, AMBER, YELLOW if is_dark() else SKY, ink(), GREY)
    return [eight[i % len(eight)] for i in range(number)]
