"""Who may attend to whom: the masks of paper section 3.2.3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.backend import to_host
from npformer.layers import causal_mask, padding_mask
from npformer.utils.errors import InputError, import_optional
from npformer.visualization.plots.colors import GREY, main_color, page_color
from npformer.visualization.plots.fonts import drawable


def plot_mask(ax, mask, queries: Sequence[str], keys: Sequence[str], *, title: str = ""):
    """Draw a boolean mask, filled where a query may attend to a key; return the Axes.

    Queries are rows and keys are columns. The mask is (T, S), or (1, S) for all queries alike.

    Raises `InputError` when the mask is not boolean or does not fit.
    """
    mask = to_host(mask)
    shape = (len(queries), len(keys))
    if mask.dtype != bool or mask.shape not in (shape, (1, len(keys))):
        raise InputError(
            f"a mask of {mask.dtype} has shape {mask.shape}: "
            f"expected booleans (T, S) = {shape}, or (1, S)"
        )

    color_map = import_optional("matplotlib.colors", "npformer").ListedColormap
    colors = color_map([page_color(ax), main_color()])
    ax.imshow(np.broadcast_to(mask, shape), cmap=colors, vmin=0, vmax=1)
    ax.xaxis.tick_top()
    _label_axis(ax.xaxis, keys, rotation=90)
    _label_axis(ax.yaxis, queries, rotation=0)

    ax.tick_params(which="both", length=0)
    ax.grid(which="minor", color=GREY, linewidth=0.6)
    ax.set_xlabel("key; filled: may attend")
    ax.set_ylabel("query")
    if title:
        ax.set_title(title)
    return ax


def _label_axis(axis, tokens: Sequence[str], *, rotation: int) -> None:
    """Write a token at each row or column, and put the lines of the grid between them."""
    labels, text_settings = drawable(tokens)
    axis.set_ticks(range(len(labels)), labels, rotation=rotation, **text_settings)
    axis.set_ticks(np.arange(len(labels) + 1) - 0.5, minor=True)


def plot_masks(axes, tokens: Sequence[str], *, pad: str = "<pad>"):
    """Draw the padding mask of a sentence, the causal mask, and both as the decoder has them.

    Tokens that equal `pad` are padding. Returns the array of Axes.

    Raises `InputError` unless there are three Axes.
    """
    if np.size(axes) != 3:
        raise InputError(
            f"{np.size(axes)} Axes were given: expected three, as new_figure(1, 3) makes them"
        )
    ids = np.array([[token != pad for token in tokens]], dtype=int)  # (1, S), 0 is padding
    padding = padding_mask(ids, 0)[0]  # (1, S)
    causal = causal_mask(len(tokens))  # (S, S)

    left, middle, right = np.ravel(axes)
    plot_mask(left, padding, tokens, tokens, title="padding mask")
    plot_mask(middle, causal, tokens, tokens, title="causal mask")
    plot_mask(right, padding & causal, tokens, tokens, title="both, as in the decoder")
    return axes
