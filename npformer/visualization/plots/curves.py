"""Loss and learning rate over the updates of a run."""

from collections.abc import Sequence

import numpy as np

from .colors import GREY, ORANGE, main_color


def running_mean(values: Sequence[float], width: int) -> np.ndarray:
    """Average each value with up to `width` - 1 values before it.

    >>> running_mean([1, 2, 3, 4], width=2).tolist()
    [1.0, 1.5, 2.5, 3.5]
    """
    sums = np.cumsum(np.concatenate([[0.0], values]))
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - width, 0)
    return (sums[ends] - sums[starts]) / (ends - starts)


def plot_loss(ax, steps, losses, validation_steps=(), validation_losses=(), *, per="token"):
    """Draw the training loss `per` token or text, its running mean, and the validation loss; return the Axes."""
    ax.plot(
        steps,
        losses,
        color=GREY,
        alpha=0.35,
        linewidth=0.8,
        label="training, each update (smoothed labels)",
    )
    width = max(len(losses) // 50, 1)
    look = {"color": main_color(), "linewidth": 2, "label": f"training, mean of {width} updates"}
    ax.plot(steps, running_mean(losses, width), **look)
    if len(validation_steps):
        style = {"color": ORANGE, "marker": "o", "linestyle": "--", "linewidth": 2}
        ax.plot(
            validation_steps, validation_losses, **style, label="held-out (plain cross-entropy)"
        )
    ax.set(xlabel="update", ylabel=f"loss per {per} (nats)", ylim=(0, None))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def plot_learning_rate(ax, steps, learning_rates):
    """Draw the learning rate; return the Axes."""
    ax.plot(steps, learning_rates, color=main_color(), linewidth=2)
    ax.set(xlabel="update", ylabel="learning rate", ylim=(0, None))
    ax.grid(alpha=0.3)
    return ax
