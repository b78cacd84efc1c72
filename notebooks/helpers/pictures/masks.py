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
    """Draw a boolean mask, filled where a query, in its row, may attend to a key, in its column; return the Axes.

    The mask is (T, S), or (1, S) for all queries alike. Raises `InputError` when it is not boolean or does not fit.
    """
    mask, shape = to_host(mask), (len(queries), len(keys))
    if mask.dtype != bool or mask.shape not in (shape, (1, len(keys))):
        raise InputError(
            f"a mask of {mask.dtype} has shape {mask.shape}: expected booleans (T, S) = {shape}, or (1, S)"
        )
    colors = import_optional("matplotlib.colors", "npformer").ListedColormap([page_color(ax), main_color()])
    ax.imshow(np.broadcast_to(mask, shape), cmap=colors, vmin=0, vmax=1)
    ax.xaxis.tick_top()
    for set_ticks, tokens, more in ((ax.set_xticks, keys, {"rotation": 90}), (ax.set_yticks, queries, {})):
        labels, how = drawable(tokens)
        set_ticks(range(len(labels)), labels, **how, **more)
        set_ticks(np.arange(len(labels) + 1) - 0.5, minor=True)
    ax.tick_params(which="both", length=0)
    ax.grid(which="minor", color=GREY, linewidth=0.6)
    ax.set_xlabel("key; filled: may attend")
    ax.set_ylabel("query")
    if title:
        ax.set_title(title)
    return ax


def plot_masks(axes, tokens: Sequence[str], *, pad: str = "<pad>"):
    """Draw the padding mask of a sentence, the causal mask, and both as the decoder has them, into three Axes.

    Tokens that equal `pad` are padding. Returns the array of Axes. Raises `InputError` unless there are three.
    """
    if np.size(axes) != 3:
        raise InputError(f"{np.size(axes)} Axes were given: expected three, as new_figure(1, 3) makes them")
    ids = np.array([[token != pad for token in tokens]], dtype=int)  # (1, S), 0 is padding
    padding, causal = padding_mask(ids, 0)[0], causal_mask(len(tokens))  # (1, S), (S, S)
    titles = ("padding mask", "causal mask", "both, as in the decoder")
    for ax, mask, title in zip(np.ravel(axes), (padding, causal, padding & causal), titles, strict=True):
        plot_mask(ax, mask, tokens, tokens, title=title)
    return axes
