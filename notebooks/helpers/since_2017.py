"""Models of notebook 31: each has one part of the paper's replaced by one of today.

    python -m helpers.since_2017

in the folder notebooks trains every model with five seeds, and prints the losses of MEASURED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from npformer import layers
from npformer.models import LanguageModel
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color

from .expected import Expected
from .paired_runs import D, H, losses_by_place, paper_model, trained

N_SEEDS = 5
N_ERRORS = 2.8  # a mean of five differences is within this many standard errors in 95% of the cases
RATE = 0.02  # the highest; the best of four for the model of the paper, as in notebook 30
WIDER = 152  # hidden features instead of 128, for a model with one group

# nats per character, held out, by seed
MEASURED = {
    "paper": [1.355, 1.438, 1.368, 1.408, 1.430],
    "RMSNorm": [1.418, 1.489, 1.351, 1.418, 1.441],
    "SwiGLU": [1.236, 1.289, 1.259, 1.274, 1.313],
    "G = 2": [1.399, 1.419, 1.325, 1.376, 1.407],
    "G = 1": [1.472, 1.507, 1.343, 1.375, 1.418],
    "G = 1, wider": [1.387, 1.405, 1.390, 1.484, 1.472],
}


def with_rms_norm(seed: int) -> LanguageModel:
    """Return the paper's model with RMSNorm instead of LayerNorm."""
    model = paper_model(seed)
    for layer in model.decoder.layers:
        layer.self_attention.norm = layers.RMSNorm(D)
        layer.feed_forward.norm = layers.RMSNorm(D)
    model.decoder.norm = layers.RMSNorm(D)
    return model


def with_swiglu(seed: int) -> LanguageModel:
    """Return the paper's model with gated networks of about as many parameters."""
    model = paper_model(seed)
    rng = np.random.default_rng([seed, 1])
    for layer in model.decoder.layers:
        layer.feed_forward.sublayer = layers.SwiGLU(D, round(8 * D / 3), rng=rng)
    return model


def with_groups(seed: int, n_groups: int) -> LanguageModel:
    """Return the paper's model with heads that share keys and values."""
    model = paper_model(seed)
    rng = np.random.default_rng([seed, 2])
    for layer in model.decoder.layers:
        layer.self_attention.sublayer = layers.GroupedQueryAttention(
            D, H, n_groups, causal=True, rng=rng
        )
    return model


def with_one_group_and_wider(seed: int) -> LanguageModel:
    """Return a model with one group and wider networks: as many parameters as the paper's."""
    model: Any = with_groups(seed, 1)
    rng = np.random.default_rng([seed, 3])
    for layer in model.decoder.layers:
        layer.feed_forward.sublayer = layers.FeedForward(D, WIDER, rng=rng)
    return model


VARIANTS: dict[str, Callable[[int], LanguageModel]] = {
    "paper": paper_model,
    "RMSNorm": with_rms_norm,
    "SwiGLU": with_swiglu,
    "G = 2": lambda seed: with_groups(seed, 2),
    "G = 1": lambda seed: with_groups(seed, 1),
    "G = 1, wider": with_one_group_and_wider,
}


CHANGED = [name for name in VARIANTS if name != "paper"]


def loss_of(name: str, seed: int) -> float:
    """Train a model and return its held-out loss."""
    model = trained(VARIANTS[name](seed), seed, rate=RATE)
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
        size = VARIANTS[name](0).n_parameters
        print(f"{name:14} {size:,} {[round(loss, 3) for loss in losses]}", flush=True)
