"""How the values of many arrays are distributed: activations and gradients, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from npformer.backend import to_host
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ink, main_color
from npformer.visualization.plots.fonts import drawable

N_BINS = 80
HEIGHT = 0.85  # of a histogram, where rows are 1 apart
FAR_APART = 10  # times; from there on, a linear axis would hide the smaller rows


def plot_distributions(ax, arrays: Mapping[str, np.ndarray], *, log: bool | None = None):
    """Draw a histogram of each array as a row, the first at the top; return the Axes.

    All rows share an axis, and each histogram is as high as its row. On the right are the root mean
    square (also drawn as a line) and, where there are any, the share of zeros and the number of
    values that are not finite, which are in neither.

    Raises `InputError` when there is no array, or one is empty.

    Arguments:
        ax: the Axes
        arrays: by name
        log: whether the axis is logarithmic and shows sizes |x|, without the zeros; by default it
            is so where the root mean squares of the rows are more than ten times apart, as those
            of vanishing gradients are
    """
    values = {}
    for name, array in arrays.items():
        values[name] = np.ravel(to_host(array)).astype(float)
    _check_not_empty(values)

    finite = {}
    sizes = {}
    for name, array in values.items():
        finite[name] = array[np.isfinite(array)]
        sizes[name] = _root_mean_square(finite[name])

    if log is None:
        nonzero = [size for size in sizes.values() if size]
        log = bool(nonzero) and max(nonzero) > FAR_APART * min(nonzero)
    shown = finite
    if log:
        shown = {name: abs(array[array != 0]) for name, array in finite.items()}
    edges = shared_edges(np.concatenate(list(shown.values())), log)

    for row, name in enumerate(values):
        _draw_row(ax, row, shown[name], edges, sizes[name])
        ax.annotate(
            described(values[name], sizes[name]),
            (1, 0.35 - row),
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=8,
        )

    labels, text_settings = drawable(list(values))
    ax.set_yticks(0.35 - np.arange(len(labels)), labels, **text_settings)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(0.9 - len(values), 1)
    ax.set_xscale("log" if log else "linear")
    ax.set_xlim(edges[0], edges[-1])
    quantity = "|value|, zeros left out" if log else "value"
    ax.set_xlabel(f"{quantity}; the line is the root mean square")
    ax.grid(axis="x", alpha=0.3)
    return ax


def _check_not_empty(values: Mapping[str, np.ndarray]) -> None:
    if not values:
        raise InputError("no array was given: expected a mapping from names to arrays")
    for name, array in values.items():
        if not array.size:
            raise InputError(f"the array {name!r} is empty: leave it out")


def _root_mean_square(values: np.ndarray) -> float:
    if not values.size:  # none is finite
        return 0.0
    return float(np.sqrt(np.mean(values**2)))


def _draw_row(ax, row: int, values: np.ndarray, edges: np.ndarray, size: float) -> None:
    """Draw the histogram of a row, its base line, and a line at the root mean square."""
    counts, _ = np.histogram(values, edges)
    heights = HEIGHT * counts / max(counts.max(), 1)
    ax.stairs(heights - row, edges, baseline=-row, fill=True, color=main_color(), alpha=0.75)
    ax.axhline(-row, color=ink(), linewidth=0.6)
    if size:
        ax.plot([size, size], [-row, HEIGHT - row], color=ink(), linewidth=1.5)


def shared_edges(values: np.ndarray, log: bool) -> np.ndarray:
    """Return the edges of bins that are equally wide on the axis.

    They hold all values, except that the smallest 1 in 10,000 of sizes may be outside.
    """
    if log and values.size:
        # a few values near 0 would make the axis too long
        low = np.quantile(values, 0.0001) / 1.1
        high = values.max() * 1.1
        return np.geomspace(low, high, N_BINS + 1)
    if log:
        return np.geomspace(0.1, 1, N_BINS + 1)

    if values.size:
        reach = 1.05 * (float(abs(values).max()) or 1.0)
    else:
        reach = 1
    return np.linspace(-reach, reach, N_BINS + 1)


def described(values: np.ndarray, size: float) -> str:
    r"""Return in a few words what a histogram cannot show.

    >>> described(np.array([0.0, 3.0, 0.0, np.nan]), 1.7)
    'rms 1.7\n50% zero\n1 not finite'
    """
    zeros = float(np.mean(values == 0))
    n_not_finite = int((~np.isfinite(values)).sum())
    parts = [f"rms {size:.2g}"]
    if zeros >= 0.005:
        parts.append(f"{100 * zeros:.0f}% zero")
    if n_not_finite:
        parts.append(f"{n_not_finite:,} not finite")
    return "\n".join(parts)
