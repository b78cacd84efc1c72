"""The learning rates of warm-up schedules, side by side (paper equation 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.training import WarmupSchedule
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import AMBER, GREEN, ORANGE, PINK, main_color

DASHES = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)))  # so that curves differ without color


def plot_schedules(ax, schedules: Sequence[WarmupSchedule], *, n_steps: int | None = None):
    """Draw the learning rate of each schedule over the updates, with a dot where warm-up ends; return the Axes.

    `n_steps` is the last update drawn (default: five times the longest warm-up). Colors and dashes differ. Raises
    `InputError` when there is no schedule.
    """
    if not schedules:
        raise InputError("no schedule was given: expected one or more of WarmupSchedule")
    n_steps = n_steps or 5 * max(schedule.warmup_steps for schedule in schedules)
    colors = (main_color(), ORANGE, GREEN, PINK, AMBER)
    for number, schedule in enumerate(schedules):
        peak = schedule.warmup_steps
        steps = np.unique(np.append(np.linspace(1, n_steps, 500).astype(int), peak if peak <= n_steps else 1))
        look = {"color": colors[number % len(colors)], "linestyle": DASHES[number % len(DASHES)], "linewidth": 2}
        label = f"{schedule.d_model}, {peak:,}"
        factor = f", times {schedule.factor:.3g}" if schedule.factor != 1 else ""
        mark = {"marker": "o", "markevery": [int(np.searchsorted(steps, peak))] if peak <= n_steps else []}
        ax.plot(steps, [schedule(int(step)) for step in steps], **look, **mark, label=label + factor)
    ax.set_xlabel("update")
    ax.set_ylabel("learning rate")
    ax.set_xlim(0, n_steps)
    highest = max(schedule(min(schedule.warmup_steps, n_steps)) for schedule in schedules)
    ax.set_ylim(0, highest * (1.2 + 0.08 * len(schedules)))
    ax.grid(alpha=0.3)
    ax.legend(loc="upper right", handlelength=3.5, fontsize=9, title="d_model, warm-up steps", title_fontsize=9)
    return ax
