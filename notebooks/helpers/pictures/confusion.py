"""The confusion matrix of a classifier."""

from collections.abc import Sequence

import numpy as np

from npformer import InputError
from npformer.visualization.plots import map_size
from npformer.visualization.plots.attention import MAX_LABELLED, draw_map, weight_bar
from npformer.visualization.plots.colors import contrasting


def confusion_size(counts, names: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_confusion`."""
    size = map_size(names, names)
    return {"width": size["width"] + 0.5, "height": size["height"] + 0.5}


def plot_confusion(ax, counts, names: Sequence[str], *, title: str = ""):
    """Draw how often texts of each class were predicted as each class, and return the Axes.

    A row is a true class, a column a predicted one. The color of a cell is its share of its row.
    Cells hold their counts, except 0, for up to 20 classes.

    Raises `InputError` unless counts are (classes, classes), 0 or more, and there is a name for
    each class.
    """
    counts = np.asarray(counts)
    n_classes = len(names)
    if counts.shape != (n_classes, n_classes) or not names or not (counts >= 0).all():
        raise InputError(
            f"a confusion matrix of shape {counts.shape} with {n_classes} names: "
            "expected counts (classes, classes), 0 or more, and a name for each class"
        )

    # a class without texts has shares of 0
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)  # (C, C)
    image = draw_map(ax, shares, names, names, title=title)
    for (row, column), count in np.ndenumerate(counts):
        if count and n_classes <= MAX_LABELLED:
            color = contrasting(image.to_rgba(shares[row, column]))
            text = f"{count:,}"
            ax.text(column, row, text, ha="center", va="center", color=color, fontsize=9)

    ax.xaxis.set_label_position("top")
    ax.set(xlabel="predicted class", ylabel="true class")
    weight_bar(image, ax, label="share of the true class")
    return ax
