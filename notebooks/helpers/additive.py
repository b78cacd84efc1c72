"""Scores by addition, next to those by dot products, for notebook 03b."""

from __future__ import annotations

import math

import numpy as np

from npformer.layers import Linear, Softmax
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import BLUE, GREEN, ORANGE

from .expected import Expected

SIZES = (4, 16, 64, 256, 512)  # of d_k
STYLES = {
    "dot product": ("s--", ORANGE),
    "addition": ("o-", BLUE),
    "addition, v of variance 1": ("^:", GREEN),
}


def additive_scores(q, k, W, U, v):  # (..., T, d_k), (..., S, d_k), (d_k, d_k) twice, (d_k,)
    """Return the scores (..., T, S) of Bahdanau et al.: tanh(q W + k U) v."""
    pairs = (q @ W)[..., :, None, :] + (k @ U)[..., None, :, :]  # (..., T, S, d_k)
    return np.tanh(pairs) @ v


def small_example():
    """Return q (3, 4), k (5, 4), W and U (4, 4) and v (4,)."""
    rng = np.random.default_rng(0)
    shapes = ((3, 4), (5, 4), (4, 4), (4, 4), (4,))
    return [rng.normal(size=shape) for shape in shapes]


def scores_to_write(q, k, W, U, v) -> Expected:
    """Return what the notebook expects of `scores`, and what is said of mistakes in it."""
    expected = Expected(scores=additive_scores(q, k, W, U, v))
    pairs = (q @ W)[:, None, :] + (k @ U)[None, :, :]
    expected.say("tanh is missing", scores=pairs @ v)
    expected.say("tanh is taken of each product, before the sum", scores=_tanh_first(q, k, W, U, v))
    expected.say("keys are multiplied by W", scores=additive_scores(q, k, W, W, v))
    return expected


def _tanh_first(q, k, W, U, v) -> np.ndarray:
    return (np.tanh(q @ W)[:, None, :] + np.tanh(k @ U)[None, :, :]) @ v


def deviations_and_weights():
    """Return the standard deviation of random scores and the largest of 10 weights, by d_k.

    Both are dictionaries of lists, one number for each of SIZES.
    """
    rng = np.random.default_rng(0)
    deviations: dict[str, list[float]] = {kind: [] for kind in STYLES}
    largest: dict[str, list[float]] = {kind: [] for kind in STYLES}
    for d_k in SIZES:
        q = rng.normal(size=(200, 1, d_k))  # 200 queries, and 10 keys for each
        k = rng.normal(size=(200, 10, d_k))
        added = np.concatenate([_drawn_by_linear(q, k, seed) for seed in range(8)])  # (1600, 1, 10)
        of_kind = {
            "dot product": q @ k.swapaxes(-1, -2),
            "addition": added,
            # Linear draws v with the variance 2 / (d_k + 1)
            "addition, v of variance 1": added * math.sqrt((d_k + 1) / 2),
        }
        for kind, scores in of_kind.items():
            deviations[kind].append(float(scores.std()))
            largest[kind].append(float(Softmax().forward(scores).max(-1).mean()))
    return deviations, largest


def _drawn_by_linear(q, k, seed: int) -> np.ndarray:
    """Return scores whose parameters are drawn as npformer's `Linear` draws them."""
    rng = np.random.default_rng(seed)
    d_k = q.shape[-1]
    matrices = []
    for n_out in (d_k, d_k, 1):
        layer = Linear(d_k, n_out, bias=False, rng=rng, dtype="float64")
        matrices.append(layer.weight.data)
    W, U, v = matrices
    return additive_scores(q, k, W, U, v[:, 0])


def show_deviations(deviations, largest):
    """Draw standard deviations and largest weights by d_k."""
    figure, axes = new_figure(1, 2, width=9, height=3.2)
    for kind, (style, color) in STYLES.items():
        axes[0].plot(SIZES, deviations[kind], style, color=color, label=kind)
        axes[1].plot(SIZES, largest[kind], style, color=color)
    axes[0].set(xscale="log", yscale="log", xlabel="d_k", ylabel="standard deviation of the scores")
    axes[1].set(xscale="log", xlabel="d_k", ylabel="largest of 10 weights", ylim=(0, 1))
    for ax in axes:
        ax.set_xticks(SIZES, SIZES)
        ax.minorticks_off()
    axes[0].legend()
    return figure
