"""Gradient descent and Adam in a ravine: a loss that is steep one way and flat the other."""

from __future__ import annotations

import numpy as np

import npformer as npf
from npformer.training import Adam
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, main_color

from .frame import LiveFigure, Slider

STEEP = 100.0  # of the loss (x^2 + STEEP y^2) / 2
N_STEPS = 60
POINT = np.array([-4.0, 1.0])  # where both paths start
BETA2 = 0.98
EPS = 1e-9
DESCENT_RATES = [0.001, 0.002, 0.005, 0.01, 0.015, 0.019, 0.02, 0.021]
ADAM_RATES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]
BETAS = [0, 0.5, 0.8, 0.9, 0.95, 0.99]


def live_ravine() -> LiveFigure:
    """Return the paths of gradient descent and of Adam, with sliders for their rates and beta_1."""
    return LiveFigure(
        "ravine.js",
        "Two ways down a ravine",
        "Two maps of a ravine, with the path of gradient descent on one and that of Adam on the "
        "other.",
        [
            Slider("descent_rate", "rate of descent", DESCENT_RATES, 0.019),
            Slider("adam_rate", "rate of Adam", ADAM_RATES, 0.2),
            Slider("beta1", "Adam's β₁", BETAS, 0.9),
        ],
        {
            "start": POINT.tolist(),
            "steep": STEEP,
            "n_steps": N_STEPS,
            "beta2": BETA2,
            "eps": EPS,
        },
        _picture(ravine_paths(descent_rate=0.019, adam_rate=0.2, beta1=0.9)),
    )


def ravine_paths(descent_rate: float, adam_rate: float, beta1: float):
    """Return the points of gradient descent and of Adam, (N_STEPS + 1, 2) each.

    >>> descent, adam = ravine_paths(descent_rate=0.01, adam_rate=0.2, beta1=0.9)
    >>> descent[1].tolist(), adam[1].round(6).tolist()
    ([-3.96, 0.0], [-3.8, 0.8])
    """
    slope = np.array([1.0, STEEP])  # the gradient at a point is slope * point
    descent = [POINT]
    for _ in range(N_STEPS):
        descent.append(descent[-1] - descent_rate * slope * descent[-1])

    point = npf.Parameter(POINT.copy())
    adam = Adam([point], learning_rate=adam_rate, beta1=beta1, beta2=BETA2, eps=EPS)
    path = [POINT]
    for _ in range(N_STEPS):
        point.grad = slope * point.data
        adam.step()
        path.append(point.data.copy())
    return np.array(descent), np.array(path)


def _picture(paths):
    """Draw both paths over the lines of equal loss."""
    figure, axes = new_figure(1, 2, width=9, height=2.6)
    x, y = np.meshgrid(np.linspace(-5, 3, 80), np.linspace(-1.6, 1.6, 80))
    names = ("gradient descent", "Adam")
    for ax, name, path, color in zip(axes, names, paths, (ORANGE, main_color()), strict=True):
        levels = [0.2, 2, 8, 20, 50, 100]
        loss = (x**2 + STEEP * y**2) / 2
        ax.contour(x, y, loss, levels=levels, colors=GREY, linewidths=0.6)
        ax.plot(path[:, 0], path[:, 1], ".-", color=color, linewidth=1)
        ax.set(title=name, xlabel="x (flat)", xlim=(-5, 3), ylim=(-1.6, 1.6))
    axes[0].set_ylabel("y (steep)")
    return figure
