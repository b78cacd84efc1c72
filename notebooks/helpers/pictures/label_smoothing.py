"""What a model is to predict, before and after label smoothing (paper section 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ink, main_color
from npformer.visualization.plots.fonts import drawable


def smoothed_target(vocab_size: int, target: int, eps: float) -> list[float]:
    """Return the distribution (1 - eps) onehot(target) + eps / V that LabelSmoothingLoss compares with.

    >>> [round(q, 3) for q in smoothed_target(4, 1, 0.1)]
    [0.025, 0.925, 0.025, 0.025]
    """
    return [(1 - eps) * (token == target) + eps / vocab_size for token in range(vocab_size)]


def plot_label_smoothing(ax, vocabulary: Sequence[str], target: str, *, eps: float = 0.1):
    """Draw the target distribution over a small vocabulary, one-hot and smoothed, as bars; return the Axes.

    Raises `InputError` unless the target is a token of the vocabulary and 0 <= eps < 1.
    """
    if target not in vocabulary:
        raise InputError(f"the target {target!r} is not in the vocabulary: expected one of {', '.join(vocabulary)}")
    if not 0 <= eps < 1:
        raise InputError(f"label smoothing eps = {eps}: expected 0 <= eps < 1")
    n_tokens, place = len(vocabulary), list(vocabulary).index(target)
    smoothed = smoothed_target(n_tokens, place, eps)
    one_hot = smoothed_target(n_tokens, place, 0)
    at = range(n_tokens)
    ax.bar([x - 0.2 for x in at], one_hot, 0.36, fill=False, edgecolor=ink(), hatch="///", label="before: one-hot")
    ax.bar([x + 0.2 for x in at], smoothed, 0.36, color=main_color(), label=f"after: eps = {eps:g}, V = {n_tokens}")
    for x, value in enumerate(smoothed):
        if x == place:
            continue
        formula = "eps/V\n= " if x == (place == 0) else ""
        ax.annotate(f"{formula}{value:.3f}", (x + 0.2, value), (0, 3), textcoords="offset points", ha="center")
    left = place < n_tokens / 2
    beside = {"xytext": (place + (0.42 if left else -0.42), 0.9), "ha": "left" if left else "right", "va": "top"}
    ax.annotate(f"1 - eps + eps/V\n= {smoothed[place]:.3f}", (place, 0), **beside)
    labels, how = drawable(vocabulary)
    ax.set_xticks(at, labels, **how)
    ax.tick_params(axis="x", length=0)
    ax.set_ylabel("probability in the target")
    ax.set_ylim(0, 1.25)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.legend(loc="upper right" if left else "upper left")
    return ax
