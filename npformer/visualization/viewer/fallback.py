"""What stands where no script runs: a table in the HTML, and a picture beside it."""

import base64
import html
import io
import warnings
from collections.abc import Sequence

import numpy as np

from ..plots import map_size, new_figure, plot_attention

WHERE = {
    "cross": "Where the decoder looked in the source: cross-attention",
    "encoder": "Where the encoder looked in its text: self-attention",
    "decoder": "Where the decoder looked back: self-attention",
}
WHO = {"cross": "writes", "encoder": "reads", "decoder": "writes"}
TOKEN = {"reads": "token being read", "writes": "output token being written"}


def table(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], *, kind: str, n_strongest: int = 3) -> str:
    """Return an HTML table with the strongest keys of each query, for weights (queries, keys) of a kind of attention.

    Tables are what sanitisers of untrusted notebooks let pass, with their text; they drop pictures, SVG and styles.
    """
    rows = []
    for query, row in zip(queries, weights, strict=True):
        strongest = [key for key in np.argsort(-row, kind="stable")[:n_strongest] if row[key] >= 0.005]
        looks = " \u00b7 ".join(f"<bdi>{html.escape(keys[key])}</bdi> {100 * row[key]:.0f}&nbsp;%" for key in strongest)
        rows.append(f"<tr><td><bdi>{html.escape(query)}</bdi></td><td>{looks}</td></tr>\n")
    return (
        f"<table>\n<caption>{caption_of(kind)}. In a trusted notebook, or in a browser with scripts, every layer and "
        f"head can be seen.</caption>\n<tr><th>{WHO[kind]}</th><th>looks most at</th></tr>\n{''.join(rows)}</table>"
    )


def picture(weights: np.ndarray, queries: Sequence[str], keys: Sequence[str], *, kind: str) -> str:
    """Return a PNG heat map of weights (queries, keys) of a kind of attention, in base64 as a notebook keeps it."""
    figure, ax = new_figure(**map_size(queries, keys))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no installed font has")  # the HTML shows every script
        plot_attention(ax, weights, queries, keys)
    ax.set_ylabel(TOKEN[WHO[kind]])
    figure.supxlabel(caption_of(kind), fontsize="small")
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    return base64.b64encode(content.getvalue()).decode("ascii")


def caption_of(kind: str) -> str:
    """Say what is shown of a kind of attention."""
    return f"{WHERE[kind]} of the last layer, mean over its heads"
