"""What heads of attention multiply, counted in the layers, for notebook 04b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

import npformer as npf
from npformer.layers import MultiHeadAttention
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import weight_colors

from .expected import Expected


def multiplications(layer: MultiHeadAttention, x: np.ndarray) -> tuple[int, int]:
    """Return the multiplications of a layer for x, and its exponentials."""
    with npf.trace(layer, depth=None) as trace:
        layer.forward(x, x, x)
    projections = [trace[name] for name in trace if name.startswith("w_")]
    linear = sum(record.inputs.x.size * record.output.shape[-1] for record in projections)
    weights = trace["attention.softmax"].output  # (B, H, T, S)
    scores = trace["attention"].inputs.query.size * weights.shape[-1]
    means = weights.size * trace["attention"].output.shape[-1]
    return linear + scores + means, weights.size


def counted(T: int, d_model: int, n_heads: Sequence[int]) -> dict[int, tuple[int, int, int]]:
    """Return for each number of heads: multiplications, exponentials, and with heads of full size.

    Arguments:
        T: words
        d_model: features of the model
        n_heads: the numbers of heads
    """
    x = np.ones((1, T, d_model), "float32")
    costs = {}
    for h in map(int, n_heads):
        narrow, exponentials = multiplications(MultiHeadAttention(d_model, h, rng=0), x)
        full_size = MultiHeadAttention(d_model, h, d_k=d_model, d_v=d_model, rng=0)
        full, _ = multiplications(full_size, x)
        costs[h] = narrow, exponentials, full
    return costs


def products_to_write(T: int, d_model: int, costs: Mapping[int, tuple]) -> Expected:
    """Return what the notebook expects of `products`, and what is said of mistakes in it."""
    products = np.array([narrow for narrow, _, _ in costs.values()])
    projection = T * d_model**2  # one of the four, all heads together
    of_scores = T**2 * d_model
    n_heads = np.array(list(costs))
    expected = Expected(products=products)
    expected.say("one of the four projections is missing", products=products - projection)
    expected.say("scores or means are missing", products=products - of_scores)
    expected.say(
        "scores and means are those of one head",
        products=4 * projection + 2 * of_scores / n_heads,
    )
    expected.say("all of it is that of one head", products=products / n_heads)
    return expected


def show_maps(maps: Mapping[int, np.ndarray], found: Mapping[int, float], widths: Sequence[int]):
    """Draw the weights of the first sentence for some widths of a head."""
    figure, axes = new_figure(1, len(widths), width=9, height=3.2)
    for ax, d_k in zip(axes, widths, strict=True):
        image = ax.imshow(maps[d_k][0], cmap=weight_colors(ax), vmin=0, vmax=1)
        ax.set(title=f"d_k = {d_k}, mean {found[d_k]:.2f}", xlabel="key")
    axes[0].set_ylabel("query")
    figure.colorbar(image, ax=list(axes), label="weight")
    return figure
