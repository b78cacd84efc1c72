"""The paper's own picture of attention, figures 3 to 5: a sentence beside a sentence, and lines from token to token."""

from collections.abc import Sequence

from ...utils import import_optional
from .attention import checked_choice, checked_weights
from .colours import head_colours
from .fonts import drawable

FAINTEST = 0.02  # lines below this weight could not be seen
SPREAD = 0.6  # of a row's height, over which the heads' lines end
WIDEST = 10  # points, of all heads' lines side by side


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

    A line is as opaque as its weight, and weights below 0.02 have none. Each head has a colour and a height: at every
    token its lines end one below the other in the order of the legend, so that heads differ in grey print too. `heads`
    chooses among the heads and `only` among the queries, counted from 0 (default: all); the legend counts heads from
    1. `names` stand above the two columns. `lines_size` says how large a figure should be.

    Raises `InputError` when the shape does not fit the tokens, or a head or a query is unknown.
    """
    weights = checked_weights(weights, queries, keys, axes="(H, T, S)")
    heads = checked_choice("head", heads, len(weights))
    rows = checked_choice("query", only, len(queries))
    ax.set_xlim(0, 1)
    ax.set_ylim(max(len(queries), len(keys)) - 0.5, -0.5)
    ax.set_axis_off()
    write_column(ax, queries, names[0], x=0, shown=rows)
    write_column(ax, keys, names[1], x=1, shown=range(len(keys)))
    handles = []
    for place, (head, colour) in enumerate(zip(heads, head_colours(len(heads)), strict=True)):
        shift = SPREAD * ((place + 0.5) / len(heads) - 0.5)
        look = {"colour": colour, "width": min(2, WIDEST / len(heads)), "label": f"head {head + 1}"}
        handles.append(draw_lines(ax, weights[head], rows, shift=shift, **look))
    n_columns = min(len(heads), 4)
    if len(heads) > 1:
        style = {"loc": "lower center", "bbox_to_anchor": (0.5, 1), "ncols": n_columns, "frameon": False}
        ax.legend(handles=handles, fontsize=8, handlelength=1.2, columnspacing=1, **style)
    ax.set_title(title, pad=10 + 14 * -(-len(heads) // n_columns))
    return ax


def draw_lines(ax, weights, rows: Sequence[int], *, shift: float, colour, width: float, label: str):
    """Draw the lines of one head, which end `shift` rows below the middle of a token, and return a legend's handle."""
    ends = [(row, key) for row in rows for key in range(weights.shape[1]) if weights[row, key] >= FAINTEST]
    segments = [((0, row + shift), (1, key + shift)) for row, key in ends]
    shades = [
        import_optional("matplotlib.colors", "npformer").to_rgba(colour, min(float(weights[end]), 1)) for end in ends
    ]
    kind = import_optional("matplotlib.collections", "npformer").LineCollection
    lines = kind(segments, colors=shades, linewidths=width, capstyle="round", label=label)
    ax.add_collection(lines, autolim=False)
    return import_optional("matplotlib.lines", "npformer").Line2D([], [], color=colour, linewidth=3, label=label)


def write_column(ax, tokens: Sequence[str], name: str, *, x: int, shown: Sequence[int]) -> None:
    """Write tokens one below the other, outside the lines; those not `shown` are faint."""
    side = {"xytext": (8 * (2 * x - 1), 0), "textcoords": "offset points", "ha": "left" if x else "right"}
    labels, how = drawable(tokens)
    for row, label in enumerate(labels):
        alpha = 1 if row in shown else 0.35
        ax.annotate(label, (x, row), **side, **how, va="center", alpha=alpha, annotation_clip=False)
    ax.annotate(name, (x, -1), **side, va="center", fontsize=8, style="italic", annotation_clip=False)
