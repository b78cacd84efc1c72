"""Small arrays with all their numbers: as text side by side, and as a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from npformer.visualization.plots.colors import ORANGE, ink, page_color


def side_by_side(decimals: int = 2, **arrays) -> str:
    """Return arrays as text next to each other, each under its name and shape; a vector is a row.

    >>> print(side_by_side(1, x=np.eye(2), dx=np.array([0.5, -2])))
    x (2, 2)   dx (2,)
     1.0 0.0     0.5 -2.0
     0.0 1.0
    """
    blocks = []
    for name, array in arrays.items():
        array = np.asarray(array)
        array = array.round(decimals) + 0.0 if array.dtype.kind == "f" else array  # no -0.00
        texts = [[f"{x:.{decimals}f}" if array.dtype.kind == "f" else str(x) for x in row] for row in _rows(array)]
        width = max(len(text) for row in texts for text in row)
        lines = [f"{name} {array.shape}", *(" " + " ".join(f"{text:>{width}}" for text in row) for row in texts)]
        widest = max(map(len, lines))
        blocks.append([f"{line:<{widest}}" for line in lines])
    height = max(map(len, blocks))
    padded = [block + [" " * len(block[0])] * (height - len(block)) for block in blocks]
    return "\n".join("   ".join(parts).rstrip() for parts in zip(*padded, strict=True))


def _rows(array: np.ndarray) -> np.ndarray:
    return np.atleast_2d(array).reshape(-1, array.shape[-1] if array.ndim else 1)


def plot_arrays(axes, arrays: Mapping, marked: Mapping[str, Collection[tuple]] | None = None):
    """Draw each array as a table of numbers into an Axes of its own, with some entries marked; return the Axes.

    `marked` has, by name, the (row, column) of entries that are filled.
    """
    for ax, (name, array) in zip(np.ravel(axes), arrays.items(), strict=True):
        array = np.atleast_2d(array)
        chosen = (marked or {}).get(name, ())
        for i, j in np.ndindex(array.shape):
            color = ORANGE if (i, j) in chosen else page_color(ax)
            corner = (j - 0.5, i - 0.5)
            ax.add_patch(_rectangle(corner, color))
            text = f"{array[i, j]:.3g}" if array.dtype.kind == "f" else str(array[i, j])
            ax.annotate(text, (j, i), ha="center", va="center", color="white" if (i, j) in chosen else ink())
        ax.set(xlim=(-0.6, array.shape[1] - 0.4), ylim=(array.shape[0] - 0.4, -0.6), aspect="equal", title=name)
        ax.set_axis_off()
    return axes


def _rectangle(corner: tuple, color: str):
    from matplotlib.patches import Rectangle

    return Rectangle(corner, 1, 1, facecolor=color, edgecolor=ink(), linewidth=0.8)
