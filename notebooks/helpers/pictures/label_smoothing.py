"""What a model is to predict, before and after label smoothing (paper section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ink, main_color
from npformer.visualization.plots.fonts import drawable


def smoothed_target(vocab_size: int, target: int, eps: float) -> list[float]:
    """Return the distribution (1 - eps) onehot(target) + eps / V.

    `LabelSmoothingLoss` compares predictions with it.

    >>> [round(q, 3) for q in smoothed_target(4, 1, 0.1)]
    [0.025, 0.925, 0.025, 0.025]
    """
    return [(1 - eps) * (token == target) + eps / vocab_size for token in range(vocab_size)]


def plot_label_smoothing(ax, vocabulary: Sequence[str], target: str, *, eps: float = 0.1):
    """Draw the target distribution over a small vocabulary as bars, and return the Axes.

    Each token has two bars: one-hot, and smoothed.

    Raises `InputError` unless the target is a token of the vocabulary and 0 <= eps < 1.
    """
    if target not in vocabulary:
        tokens = ", ".join(vocabulary)
        raise InputError(
            f"the target {target!r} is not in the vocabulary: expected one of {tokens}"
        )
    if not 0 <= eps < 1:
        raise InputError(f"label smoothing eps = {eps}: expected 0 <= eps < 1")

    n_tokens = len(vocabulary)
    place = list(vocabulary).index(target)
    smoothed = smoothed_target(n_tokens, place, eps)
    one_hot = smoothed_target(n_tokens, place, 0)
    x = np.arange(n_tokens)
    ax.bar(
        x - 0.2, one_hot, 0.36, fill=False, edgecolor=ink(), hatch="///", label="before: one-hot"
    )
    label = f"after: eps = {eps:g}, V = {n_tokens}"
    ax.bar(x + 0.2, smoothed, 0.36, color=main_color(), label=label)

    _write_probabilities(ax, smoothed, place)

    labels, text_settings = drawable(vocabulary)
    ax.set_xticks(x, labels, **text_settings)
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel("probability in the target")
    ax.set_ylim(0, 1.25)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.legend(loc="upper right" if place < n_tokens / 2 else "upper left")
    return ax


def _write_probabilities(ax, smoothed: Sequence[float], place: int) -> None:
    """Write the smoothed probabilities next to their bars, with their formulas."""
    # the formula is written once, over the first of the equal bars
    first_other = 1 if place == 0 else 0
    for token, value in enumerate(smoothed):
        if token == place:
            continue
        formula = "eps/V\n= " if token == first_other else ""
        text = f"{formula}{value:.3f}"
        ax.annotate(text, (token + 0.2, value), (0, 3), textcoords="offset points", ha="center")

    # on the side of the high bar that has more room
    is_left = place < len(smoothed) / 2
    ax.annotate(
        f"1 - eps + eps/V\n= {smoothed[place]:.3f}",
        (place, 0),
        xytext=(place + (0.42 if is_left else -0.42), 0.9),
        ha="left" if is_left else "right",
        va="top",
    )
