"""The confusion matrix of a classifier."""

from collections.abc import Sequence

import numpy as np

from ...utils import InputError
from .attention import SMALL, draw_map, weight_bar
from .colours import contrasting
from .figures import NARROWEST, text_width

COUNT = 9  # points, of the number in a cell


def plot_confusion(ax, counts, names: Sequence[str], *, title: str = ""):
    """Draw how often texts of each right class, a row, were found to be of each class, a column; return the Axes.

    A cell's colour is its share of its row, so that a rare class looks like a frequent one: with none wrong, the
    diagonal alone is dark, or on a dark page light. Cells hold their counts, except 0, up to 20 classes.
    `confusion_size` says how large a figure should be.

    Raises `InputError` unless counts are (classes, classes), 0 or more, and there is a name for each class.
    """
    counts = np.asarray(counts)
    if counts.shape != (len(names),) * 2 or not names or not (counts >= 0).all():
        came = f"a confusion matrix of shape {counts.shape} with {len(names)} names"
        raise InputError(f"{came}: expected counts (classes, classes), 0 or more, and a name for each class")
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)  # (C, C)
    image = draw_map(ax, shares, names, names, title=title)
    if len(names) <= SMALL:
        for (row, column), count in np.ndenumerate(counts):
            if count:
                look = {"color": contrasting(image.to_rgba(shares[row, column])), "fontsize": COUNT}
                ax.text(column, row, f"{count:,}", ha="center", va="center", **look)
    ax.xaxis.set_label_position("top")
    ax.set(xlabel="found class", ylabel="right class")
    weight_bar(image, ax, label="share of the right class")
    return ax


def confusion_size(counts, names: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_confusion`, as `new_figure` takes it.

    >>> few, many = ([[9] * n] * n for n in (2, 20))
    >>> confusion_size(few, ["a", "b"])["width"] < confusion_size(many, list("abcdefghijklmnopqrst"))["width"]
    True
    """
    large = len(names) <= SMALL
    wide = max(0.6, text_width([f"{np.max(counts):,}"], letters=COUNT) + 0.2) if large else 0.22
    width = text_width(names) + wide * len(names) + 1.7
    slant = 0.75 if large else 1
    height = slant * text_width(names) + (0.45 if large else 0.22) * len(names) + 1.2
    return {"width": max(width, NARROWEST), "height": max(height, 2.7)}
