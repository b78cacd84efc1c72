"""How far gradients reach through stacks of layers (paper section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle

from npformer.paper.table1 import Kind, Size, gradient_by_position
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import GREY, weight_colors

FAINTEST = -5  # of colors: a power of ten of the largest gradient


def plot_reach(axes, kinds: Sequence[Kind], size: Size, n_layers: int):
    """Draw which positions the gradient of the last one reaches through 1 to n layers.

    Each kind has an Axes. Row n is a stack of n layers, a column is a position. The darker, the
    larger the gradient is relative to the largest of its row, as the colorbar at the last Axes
    says; where it is exactly 0 it is hatched. Returns the Axes.

    Raises `InputError` unless there is an Axes for each kind.
    """
    if np.size(axes) != len(kinds):
        raise InputError(
            f"{np.size(axes)} Axes were given for {len(kinds)} kinds of layers: "
            "expected one for each"
        )
    for ax, kind in zip(np.ravel(axes), kinds, strict=True):
        _plot_kind(ax, kind, size, n_layers)

    axes_list = np.ravel(axes)
    axes_list[0].set_ylabel("layers of the stack")
    last = axes_list[-1]
    powers = range(FAINTEST + 1, 1)
    tones = [1 - power / FAINTEST for power in powers]
    bar = last.figure.colorbar(last.images[0], ax=last, ticks=tones)
    bar.set_ticklabels([f"$10^{{{power}}}$" for power in powers])
    return axes


def _plot_kind(ax, kind: Kind, size: Size, n_layers: int) -> None:
    depths = range(1, n_layers + 1)
    norms = np.array([gradient_by_position(kind, size, n) for n in depths])  # (layers, n)
    reached = norms > 0
    largest = norms.max(1, keepdims=True)
    powers = np.log10(norms / largest, where=reached, out=np.zeros_like(norms))

    # no fainter than 0.12, so that a small gradient differs from none
    tones = np.clip(1 - powers / FAINTEST, 0.12, 1)
    ax.imshow(
        np.ma.masked_array(tones, ~reached),
        cmap=weight_colors(ax),
        vmin=0,
        vmax=1,
        aspect="auto",
        interpolation="nearest",
        extent=(-0.5, size.n - 0.5, n_layers + 0.5, 0.5),
    )
    hatching = Rectangle(
        (-0.5, 0.5),
        size.n,
        n_layers,
        fill=False,
        hatch="////",
        edgecolor=GREY,
        linewidth=0,
        zorder=-1,  # seen where the image is masked
    )
    ax.add_patch(hatching)
    ax.set(title=kind.name, xlabel="position")
    ax.set_yticks(depths)
