"""Models of notebook 31: each has one part of the paper's replaced by one of today.

    python -m helpers.since_2017

in the folder notebooks trains every model with five seeds, and prints the losses of MEASURED.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from npformer.models import LanguageModel
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color

from .expected import Expected
from .paired_runs import PAPER, D, losses_by_place, trained

N_SEEDS = 5
N_ERRORS = 2.8  # a mean of five differences is within this many standard errors in 95% of the cases
RATE = 0.02  # the highest; the best of four for the model of the paper, as in notebook 30
WIDER = 152  # hidden features instead of 128, for a model with one group

# nats per character, held out, by seed
MEASURED = {
    "paper": [1.355, 1.438, 1.368, 1.408, 1.430],
    "RMSNorm": [1.418, 1.489, 1.351, 1.418, 1.441],
    "SwiGLU": [1.199, 1.316, 1.293, 1.25, 1.301],
    "G = 2": [1.423, 1.42, 1.344, 1.44, 1.454],
    "G = 1": [1.408, 1.47, 1.348, 1.429, 1.424],
    "G = 1, wider": [1.412, 1.433, 1.411, 1.403, 1.451],
}


VARIANTS = {
    "paper": PAPER,
    "RMSNorm": replace(PAPER, norm="rms"),
    # about as many parameters as the paper's
    "SwiGLU": replace(PAPER, activation="swiglu", d_ff=round(8 * D / 3), feed_forward_bias=False),
    "G = 2": replace(PAPER, n_kv_heads=2),
    "G = 1": replace(PAPER, n_kv_heads=1),
    "G = 1, wider": replace(PAPER, n_kv_heads=1, d_ff=WIDER),
}


CHANGED = [name for name in VARIANTS if name != "paper"]


def model_of(name: str, seed: int) -> LanguageModel:
    """Return a model that starts with the parameters of the paper's where both have the same."""
    model = LanguageModel(VARIANTS[name], rng=seed)
    of_paper = LanguageModel(PAPER, rng=seed).state_dict()
    for parameter_name, parameter in model.named_parameters():
        start = of_paper.get(parameter_name)
        if start is not None and start.shape == parameter.data.shape:
            parameter.data = start
    return model


def loss_of(name: str, seed: int) -> float:
    """Train a model and return its held-out loss."""
    model = trained(model_of(name, seed), seed, rate=RATE)
    return float(losses_by_place(model).mean())


def differences(name: str) -> np.ndarray:
    """Return the measured losses of a model less those of the paper's with the same seed (5,)."""
    return np.subtract(MEASURED[name], MEASURED["paper"])


def multiplying_values() -> Expected:
    """Return the matrix of the values with which a gate multiplies two features."""
    to_value = np.array([0.0, 1.0])
    return Expected(w1=np.stack([to_value, -to_value], axis=-1))


def show_differences(found: Mapping[str, np.ndarray]):
    """Draw differences from the paper's model: a dot per seed, and the mean with an interval."""
    figure, ax = new_figure(width=8, height=3.2)
    ax.axhline(0, color=ink(), linewidth=1, linestyle=":")
    for place, of_seeds in enumerate(found.values()):
        n = len(of_seeds)
        error = of_seeds.std(ddof=1) / np.sqrt(n)
        dots = place - 0.24 + 0.06 * np.arange(n)
        ax.scatter(dots, of_seeds, color=main_color(), s=30)
        width = N_ERRORS * error
        ax.errorbar(place + 0.15, of_seeds.mean(), width, color=ORANGE, marker="o", capsize=5)
    ax.set_xticks(range(len(found)), list(found))
    ax.set(
        xlim=(-0.5, len(found) - 0.5),
        ylabel="loss less that of the paper's\nwith the same seed (nats)",
    )
    return figure


if __name__ == "__main__":
    for name in VARIANTS:
        losses = [loss_of(name, seed) for seed in range(N_SEEDS)]
        size = model_of(name, 0).n_parameters
        print(f"{name:14} {size:,} {[round(loss, 3) for loss in losses]}", flush=True)
