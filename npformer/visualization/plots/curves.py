"""Loss and learning rate over the updates of a run."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .colors import GREY, ORANGE, main_color


def running_mean(values: Sequence[float], width: int) -> np.ndarray:
    """Average each value with up to `width` - 1 values before it.

    >>> running_mean([1, 2, 3, 4], width=2).tolist()
    [1.0, 1.5, 2.5, 3.5]
    """
    means = []
    for end in range(1, len(values) + 1):
        means.append(np.mean(values[max(end - width, 0) : end]))
    return np.array(means)


def plot_loss(
    ax: Any,
    steps: Sequence[int],
    losses: Sequence[float],
    held_out_steps: Sequence[int] = (),
    held_out_losses: Sequence[float] = (),
    *,
    per: str = "token",
    label_smoothing: float = 0.0,
) -> Any:
    """Draw the training loss, its running mean, and the held-out loss; return the Axes.

    Arguments:
        ax: The Axes.
        steps: The updates.
        losses: Their losses.
        held_out_steps: The updates after which the held-out loss was computed.
        held_out_losses: The held-out losses.
        per: What a loss is a mean over: "token" or "text".
        label_smoothing: eps of the training loss, which the held-out loss does not have.
    """
    label = "training, each update"
    if label_smoothing:
        label += " (smoothed labels)"
    ax.plot(steps, losses, color=GREY, alpha=0.35, linewidth=0.8, label=label)
    width = max(len(losses) // 50, 1)  # so that a bend is at most a fiftieth late
    mean_of = "1 update" if width == 1 else f"{width} updates"
    label = f"training, mean of {mean_of}"
    ax.plot(steps, running_mean(losses, width), color=main_color(), linewidth=2, label=label)
    if len(held_out_steps):
        ax.plot(
            held_out_steps,
            held_out_losses,
            color=ORANGE,
            marker="o",
            linestyle="--",
            linewidth=2,
            label="held-out (plain cross-entropy)",
        )
    ax.set(xlabel="update", ylabel=f"loss per {per} (nats)", ylim=(0, None))
    ax.grid(alpha=0.3)
    ax.legend()
    return ax


def plot_learning_rate(ax: Any, steps: Sequence[int], learning_rates: Sequence[float]) -> Any:
    """Draw the learning rate; return the Axes."""
    ax.plot(steps, learning_rates, color=main_color(), linewidth=2)
    ax.set(xlabel="update", ylabel="learning rate", ylim=(0, None))
    ax.grid(alpha=0.3)
    return ax
