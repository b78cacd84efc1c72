"""The sizes of all numbers of a model's arrays, such as its gradients, as histograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

LOWEST = -13  # log10, the left end of the axis
BINS = np.arange(LOWEST - 1 / 16, 1 / 8, 1 / 8)  # each power of ten is in the middle of one


def show_sizes(model, *, mark: float | None = None, **arrays: Sequence[np.ndarray]):
    """Draw how many numbers have which size, without zeros, and return the figure.

    The biases of keys, whose true gradients are 0, are orange.

    Arguments:
        model: the model whose parameters the arrays belong to
        mark: a size to mark in the last picture
        arrays: for each picture its name and a list of arrays, in the order of the parameters
    """
    names = [name for name, _ in model.named_parameters()]
    figure, axes = new_figure(len(arrays), 1, width=7, height=0.6 + 1.9 * len(arrays))
    axes = np.atleast_1d(axes)
    for ax, (label, values) in zip(axes, arrays.items(), strict=True):
        others: list[np.ndarray] = []
        key_biases: list[np.ndarray] = []
        for name, array in zip(names, values, strict=True):
            group = key_biases if name.endswith("w_key.bias") else others
            group.append(log_sizes(array))
        groups = [np.concatenate(others), np.concatenate(key_biases)]
        ax.hist(
            groups,
            BINS,
            stacked=True,
            color=[main_color(), ORANGE],
            label=["all others", "biases of keys"],
        )
        ax.set(ylabel=f"how many {label}", xlim=(LOWEST - 0.1, 0.1), xticks=range(LOWEST, 1))
        ax.set_yscale("log")
        ax.set_ylim(0.7, 1e6)
    axes[0].legend(loc="upper left")
    axes[-1].set_xlabel("size, log10")
    if mark is not None:
        axes[-1].axvline(np.log10(mark), color=GREY, linewidth=1, linestyle="--")
    return figure


def log_sizes(array: np.ndarray) -> np.ndarray:
    """Return log10 of the magnitudes of all entries but zeros.

    >>> log_sizes(np.array([[0.0, -100.0], [0.01, 1.0]]))
    array([ 2., -2.,  0.])
    """
    sizes = np.abs(array[array != 0])
    return np.log10(sizes)
