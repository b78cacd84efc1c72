"""The learning rates of warm-up schedules, side by side (paper equation 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.training import WarmupSchedule
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import AMBER, GREEN, ORANGE, PINK, main_color

DASHES = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)))  # so that curves differ without color


def plot_schedules(ax, schedules: Sequence[WarmupSchedule], *, n_steps: int | None = None):
    """Draw the learning rate of each schedule over the updates; return the Axes.

    A dot is where warm-up ends. Colors and dashes differ. `n_steps` is the last update drawn
    (default: five times the longest warm-up).

    Raises `InputError` when there is no schedule.
    """
    if not schedules:
        raise InputError("no schedule was given: expected one or more of WarmupSchedule")
    n_steps = n_steps or 5 * max(schedule.warmup_steps for schedule in schedules)

    colors = (main_color(), ORANGE, GREEN, PINK, AMBER)
    for number, schedule in enumerate(schedules):
        color = colors[number % len(colors)]
        dashes = DASHES[number % len(DASHES)]
        _plot_schedule(ax, schedule, n_steps, color=color, dashes=dashes)

    ax.set_xlabel("update")
    ax.set_ylabel("learning rate")
    ax.set_xlim(0, n_steps)
    # room for the legend, which has a line per schedule
    highest = max(schedule(min(schedule.warmup_steps, n_steps)) for schedule in schedules)
    ax.set_ylim(0, highest * (1.2 + 0.08 * len(schedules)))
    ax.grid(alpha=0.3)
    ax.legend(
        loc="upper right",
        handlelength=3.5,
        fontsize=9,
        title="d_model, warm-up steps",
        title_fontsize=9,
    )
    return ax


def _plot_schedule(ax, schedule: WarmupSchedule, n_steps: int, *, color: str, dashes) -> None:
    """Draw one learning rate, with a dot at its peak if it is among the steps."""
    peak = schedule.warmup_steps
    steps = np.unique(np.linspace(1, n_steps, 500).astype(int))
    dots = []
    if peak <= n_steps:
        steps = np.union1d(steps, [peak])
        dots = [int(np.searchsorted(steps, peak))]
    rates = [schedule(int(step)) for step in steps]

    label = f"{schedule.d_model}, {peak:,}"
    if schedule.factor != 1:
        label += f", times {schedule.factor:.3g}"
    ax.plot(
        steps,
        rates,
        color=color,
        linestyle=dashes,
        linewidth=2,
        marker="o",
        markevery=dots,
        label=label,
    )
