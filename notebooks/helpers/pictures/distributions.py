"""How the values of many arrays are spread: activations and gradients, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from npformer.backend import to_host
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ink, main_color
from npformer.visualization.plots.fonts import drawable

N_BINS = 80
FAR_APART = 10  # times, from which on a linear axis would hide the smaller rows


def plot_distributions(ax, arrays: Mapping[str, np.ndarray], *, log: bool | None = None):
    """Draw a histogram of each array as a row, the first at the top, over one shared axis; return the Axes.

    With `log` the axis is logarithmic and shows sizes |x|, without the zeros; by default it is so where the rows' root
    mean squares are more than ten times apart, as those of vanishing gradients are. Each histogram is as high as its
    row. On the right stand the root mean square (also as a line) and, where there are any, the share of zeros and the
    number of values that are infinite or no number, which are in neither.

    Raises `InputError` when there is no array, or one is empty.
    """
    values = {name: np.ravel(to_host(array)).astype(float) for name, array in arrays.items()}
    if not values:
        raise InputError("no array was given: expected a mapping from names to arrays")
    if empty := [name for name, array in values.items() if not array.size]:
        raise InputError(f"the array {empty[0]!r} is empty: leave it out")
    finite = {name: array[np.isfinite(array)] for name, array in values.items()}
    sizes = {name: float(np.sqrt(np.mean(array**2))) if array.size else 0.0 for name, array in finite.items()}
    seen = [size for size in sizes.values() if size]
    log = bool(seen) and max(seen) > FAR_APART * min(seen) if log is None else log
    shown = {name: abs(array[array != 0]) if log else array for name, array in finite.items()}
    edges = shared_edges(np.concatenate(list(shown.values())), log)
    for row, (name, array) in enumerate(values.items()):
        counts = np.histogram(shown[name], edges)[0]
        heights = 0.85 * counts / max(counts.max(), 1)
        ax.stairs(heights - row, edges, baseline=-row, fill=True, color=main_color(), alpha=0.75)
        ax.axhline(-row, color=ink(), linewidth=0.6)
        if sizes[name]:
            ax.plot([sizes[name]] * 2, [-row, 0.85 - row], color=ink(), linewidth=1.5)
        note = {"xytext": (6, 0), "textcoords": "offset points", "va": "center", "fontsize": 8}
        ax.annotate(described(array, sizes[name]), (1, 0.35 - row), xycoords=("axes fraction", "data"), **note)
    labels, how = drawable(list(values))
    ax.set_yticks([0.35 - row for row in range(len(labels))], labels, **how)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(0.9 - len(values), 1)
    ax.set_xscale("log" if log else "linear")
    ax.set_xlim(edges[0], edges[-1])
    ax.set_xlabel(
        "|value|, zeros left out; the line is the root mean square"
        if log
        else "value; the line is the root mean square"
    )
    ax.grid(axis="x", alpha=0.3)
    return ax


def shared_edges(values: np.ndarray, log: bool) -> np.ndarray:
    """Return the edges of bins, equal on the axis; they hold all but the smallest 1 in 10,000 of sizes."""
    if not values.size:
        return np.geomspace(0.1, 1, N_BINS + 1) if log else np.linspace(-1, 1, N_BINS + 1)
    if log:
        low, high = np.quantile(values, 0.0001), values.max()
        return np.geomspace(low / 1.1, high * 1.1, N_BINS + 1)
    reach = float(abs(values).max()) or 1.0
    return np.linspace(-1.05 * reach, 1.05 * reach, N_BINS + 1)


def described(values: np.ndarray, size: float) -> str:
    r"""Say in a few words what a histogram cannot.

    >>> described(np.array([0.0, 3.0, 0.0, np.nan]), 1.7)
    'rms 1.7\n50% zero\n1 not finite'
    """
    zeros, lost = float(np.mean(values == 0)), int((~np.isfinite(values)).sum())
    parts = [f"rms {size:.2g}"]
    if zeros >= 0.005:
        parts.append(f"{100 * zeros:.0f}% zero")
    if lost:
        parts.append(f"{lost:,} not finite")
    return "\n".join(parts)
