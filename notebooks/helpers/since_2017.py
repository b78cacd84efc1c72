"""Models of notebook 31: each has one part of the paper's replaced by one of today.

    python notebooks/helpers/since_2017.py

It trains every model with five seeds, and prints the losses that stand in MEASURED.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from npformer import layers
from npformer.models import LanguageModel
from npformer.visualization.plots import new_figure

from helpers.paired_runs import D, H, losses_by_place, paper_model, plot_losses, trained

N_SEEDS = 5
WIDER = 152  # hidden features instead of 128, for a model with one group

# nats per character, held out, by seed
MEASURED: dict[str, list[float]] = {}


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
    model = with_groups(seed, 1)
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


def loss_of(name: str, seed: int) -> float:
    """Train a model and return its held-out loss."""
    model = trained(VARIANTS[name](seed), seed)
    return float(losses_by_place(model).mean())


def differences(name: str) -> np.ndarray:
    """Return the measured losses of a model less those of the paper's with the same seed (5,)."""
    return np.subtract(MEASURED[name], MEASURED["paper"])


def show_variants(names: Sequence[str] | None = None):
    """Draw the measured losses: a dot per seed, and a line from the paper's to the others."""
    found: Mapping[str, list[float]] = MEASURED
    if names is not None:
        found = {name: MEASURED[name] for name in names}
    figure, ax = new_figure(width=8, height=3.2)
    plot_losses(ax, found)
    return figure


if __name__ == "__main__":
    for name in VARIANTS:
        losses = [loss_of(name, seed) for seed in range(N_SEEDS)]
        size = VARIANTS[name](0).n_parameters
        print(f"{name:14} {size:,} {[round(loss, 3) for loss in losses]}", flush=True)
