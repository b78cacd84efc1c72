"""How far gradients reach through stacks of layers (paper section 4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.paper.table1 import Kind, Size, gradient_by_position
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import weight_colors

FAINTEST = -5  # of colors: a power of ten of the largest gradient


def plot_reach(axes, kinds: Sequence[Kind], size: Size, n_layers: int):
    """Draw, into an Axes a kind, which positions the gradient of the last one reaches through 1 to n layers.

    Row n is a stack of n layers, a column is a position. The darker, the larger the gradient is relative to the largest
    of its row, as the colorbar at the last Axes says; where it is 0 the page is left blank. Returns the Axes. Raises
    `InputError` unless there is an Axes for each kind.
    """
    if np.size(axes) != len(kinds):
        raise InputError(f"{np.size(axes)} Axes were given for {len(kinds)} kinds of layers: expected one for each")
    for ax, kind in zip(np.ravel(axes), kinds, strict=True):
        norms = np.array([gradient_by_position(kind, size, n) for n in range(1, n_layers + 1)])  # (layers, n)
        reached = norms > 0
        shares = np.log10(norms / norms.max(1, keepdims=True), where=reached, out=np.zeros_like(norms))
        tones = np.ma.masked_array(np.clip(1 - shares / FAINTEST, 0.12, 1), ~reached)
        extent = (-0.5, size.n - 0.5, n_layers + 0.5, 0.5)
        ax.imshow(tones, cmap=weight_colors(ax), vmin=0, vmax=1, aspect="auto", interpolation="nearest", extent=extent)
        ax.set(title=kind.name, xlabel="position")
        ax.set_yticks(range(1, n_layers + 1))
    first, last = np.ravel(axes)[[0, -1]]
    first.set_ylabel("layers")
    powers = range(FAINTEST + 1, 1)
    bar = last.figure.colorbar(last.images[0], ax=last, ticks=[1 - power / FAINTEST for power in powers])
    bar.set_ticklabels([f"$10^{{{power}}}$" for power in powers])
    return axes
