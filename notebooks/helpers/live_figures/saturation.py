"""Softmax of random scores, with and without the division by the root of d_k."""

from __future__ import annotations

import numpy as np

from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import main_color

from .frame import LiveFigure, Slider, Switch

START = 64  # of the slider of d_k


def live_saturation(queries, keys, *, gradient: bool = False) -> LiveFigure:
    """Return a figure with sliders for d_k and the query, and a switch for the division.

    A score of d_k is the dot product of the first d_k features.

    Arguments:
        queries: some queries (n, d), where d is at least 64
        keys: the keys of each (n, S, d)
        gradient: whether the entropy of the weights and the size of the gradient are shown too
    """
    n, _, d = keys.shape
    sizes = [2**power for power in range(int(np.log2(d)) + 1)]

    # the dot product of each number of features, in one sum
    sums = np.cumsum(queries[:, None, :] * keys, axis=-1)  # (n, S, d)
    last_features = np.array(sizes) - 1
    scores = sums[..., last_features].swapaxes(1, 2).round(3)  # (n, sizes, S)

    description = "Bars of the weights of one query"
    description += ", their entropy, and the size of the gradient." if gradient else "."
    return LiveFigure(
        "saturation.js",
        "What softmax makes of random scores",
        description,
        [
            Slider("d_k", "d_k", sizes, START),
            Slider("query", "query", list(range(n)), 0),
            Switch("divided", "divide by √d_k", False),
        ],
        {"sizes": sizes, "scores": scores.tolist(), "gradient": gradient},
        _picture(scores[0, sizes.index(START)], gradient),
    )


def saturation_numbers(scores):
    """Return the weights of scores, their entropy, and the size of softmax's gradient.

    The size is the root mean square norm of what arrives at the scores when the gradient at the
    weights is random, with variance 1.

    >>> weights, entropy, gradient = saturation_numbers(np.zeros(10))
    >>> float(weights[0]), float(entropy.round(2)), float(gradient.round(2))
    (0.1, 2.3, 0.3)
    """
    exponentials = np.exp(scores - scores.max())
    weights = exponentials / exponentials.sum()
    entropy = -(weights * np.log(np.maximum(weights, 1e-300))).sum()
    jacobian = np.diag(weights) - np.outer(weights, weights)
    return weights, entropy, np.linalg.norm(jacobian)


def _picture(scores, with_gradient):
    """Draw the weights of scores as they are, and divided."""
    figure, axes = new_figure(1, 2, width=8, height=2.6)
    cases = {"not divided": scores, "divided by √d_k": scores / np.sqrt(START)}
    for ax, (name, used) in zip(axes, cases.items(), strict=True):
        weights, entropy, gradient = saturation_numbers(used)
        ax.bar(range(len(weights)), weights, color=main_color())
        measured = f"largest weight {weights.max():.2f}"
        if with_gradient:
            measured = f"entropy {entropy:.2f}, gradient {gradient:.3f}"
        ax.set(title=name, ylim=(0, 1), xlabel=measured, xticks=[])
    axes[0].set_ylabel(f"weight, d_k = {START}")
    return figure
