"""Small arrays with all their numbers: as text side by side, and as a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from matplotlib.patches import Rectangle

from npformer.visualization.plots.colors import ORANGE, ink, page_color


def side_by_side(decimals: int = 2, **arrays) -> str:
    """Return arrays as text next to each other, each under its name and shape; a vector is a row.

    >>> print(side_by_side(1, x=np.eye(2), dx=np.array([0.5, -2])))
    x (2, 2)   dx (2,)
     1.0 0.0     0.5 -2.0
     0.0 1.0
    """
    blocks = [_text_lines(name, array, decimals) for name, array in arrays.items()]

    # an array of fewer rows gets blank lines as wide as its others
    height = max(map(len, blocks))
    for block in blocks:
        blank = " " * len(block[0])
        block += [blank] * (height - len(block))

    lines = ["   ".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
    return "\n".join(lines)


def _text_lines(name: str, array, decimals: int) -> list[str]:
    """Return the lines of one array, all of the same width."""
    array = np.asarray(array)
    specification = ""
    if array.dtype.kind == "f":
        specification = f".{decimals}f"
        array = array.round(decimals) + 0.0  # no -0.00

    n_columns = array.shape[-1] if array.ndim else 1
    rows = []
    for row in np.atleast_2d(array).reshape(-1, n_columns):
        rows.append([format(x, specification) for x in row])
    width = max(len(text) for row in rows for text in row)

    lines = [f"{name} {array.shape}"]
    for texts in rows:
        lines.append(" " + " ".join(text.rjust(width) for text in texts))
    widest = max(map(len, lines))
    return [line.ljust(widest) for line in lines]


def plot_arrays(axes, arrays: Mapping, marked: Mapping[str, Collection[tuple]] | None = None):
    """Draw each array as a table of numbers into an Axes of its own, and return the Axes.

    Arguments:
        axes: as many as arrays
        arrays: by name
        marked: by name, the (row, column) of entries that are filled
    """
    for ax, (name, array) in zip(np.ravel(axes), arrays.items(), strict=True):
        chosen = marked.get(name, ()) if marked else ()
        _plot_array(ax, name, np.atleast_2d(array), chosen)
    return axes


def _plot_array(ax, name: str, array: np.ndarray, chosen: Collection[tuple]) -> None:
    for i, j in np.ndindex(array.shape):
        fill = page_color(ax)
        text_color = ink()
        if (i, j) in chosen:
            fill = ORANGE
            text_color = "white"

        corner = (j - 0.5, i - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=fill, edgecolor=ink(), linewidth=0.8))
        text = f"{array[i, j]:.3g}" if array.dtype.kind == "f" else str(array[i, j])
        ax.annotate(text, (j, i), ha="center", va="center", color=text_color)

    n_rows, n_columns = array.shape
    ax.set(xlim=(-0.6, n_columns - 0.4), ylim=(n_rows - 0.4, -0.6), aspect="equal", title=name)
    ax.set_axis_off()
