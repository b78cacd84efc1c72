"""Positional encodings: as an image, and as waves with their lengths (paper section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from npformer.layers.hyperparameter_checks import check_even_d_model
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ORANGE, main_color

from .array_grids import show_arrays

STEPS = 10  # points of a wave from position to position


def show_ideas_of_positions():
    """Draw four ways to write the positions 0 to 9 as numbers, and return the figure."""
    n = np.arange(10.0)[:, None]  # (10, 1)
    bits = np.arange(10)[:, None] >> np.array([3, 2, 1, 0]) & 1  # (10, 4)
    fast = np.concatenate([np.sin(n), np.cos(n)], axis=1)
    slow = np.concatenate([np.sin(n / 10), np.cos(n / 10)], axis=1)
    arrays = {
        "n": n,
        "n / length": n / len(n),
        "binary digits": bits.astype(float),
        "waves": np.concatenate([fast, slow], axis=1),
    }
    rows = [f"position {i}" for i in range(len(n))]
    return show_arrays(rows=rows, limit=2, **arrays)


def plot_positions(ax, table):
    """Draw a table of positional encodings (positions, d_model) as an image; return the Axes.

    Each position is a row. `table` is `sinusoids(max_len, d_model)`, or the learned table of a
    model. The colors run from blue to yellow and from dark to light, evenly, and are as far below
    zero as above it.

    Raises `InputError` when the table has not two axes.
    """
    table = np.asarray(table)
    if table.ndim != 2:
        raise InputError(
            f"a table of positional encodings has shape {table.shape}: "
            "expected (positions, d_model)"
        )
    largest = float(abs(table).max(initial=0)) or 1.0
    image = ax.imshow(
        table,
        cmap="cividis",
        vmin=-largest,
        vmax=largest,
        aspect="auto",
        interpolation="nearest",
    )
    ax.set_xlabel("feature")
    ax.set_ylabel("position")
    ax.figure.colorbar(image, ax=ax, label="value", fraction=0.04, aspect=30)
    return ax


def wavelengths(d_model: int) -> np.ndarray:
    """Return the wavelength of each pair of features in positions, (d_model / 2,).

    They form a geometric progression from 2 pi towards 10000 * 2 pi: each is 10000^(2 / d_model)
    times the one before. Raises `InputError` when d_model is odd.

    >>> wavelengths(8).round(1).tolist()
    [6.3, 62.8, 628.3, 6283.2]
    """
    check_even_d_model(d_model)
    return 2 * math.pi * 10000.0 ** (np.arange(0, d_model, 2) / d_model)


def plot_position_waves(
    ax, d_model: int = 512, *, dimensions: Sequence[int] | None = None, n_positions: int = 60
):
    """Draw sinusoidal encodings over the positions, with their wavelengths; return the Axes.

    Each row is a pair: the sine in an even feature, drawn whole, and the cosine in the next,
    dashed. Dots are the positions.

    Raises `InputError` when d_model is odd, or a dimension is odd or not below d_model.

    Arguments:
        ax: the Axes
        d_model: the width of the encodings
        dimensions: even ones, the first at the top (default: six, evenly spaced up to the last)
        n_positions: how many are drawn
    """
    lengths = wavelengths(d_model)
    if dimensions is None:
        pairs = np.linspace(0, d_model // 2 - 1, 6)
        dimensions = sorted({2 * round(pair) for pair in pairs})
    for dimension in dimensions:
        if dimension not in range(0, d_model, 2):
            raise InputError(f"dimension {dimension}: expected an even one from 0 to {d_model - 2}")

    # a wave is 0.8 high, so that those of neighboring rows do not touch
    x = np.linspace(0, n_positions - 1, STEPS * (n_positions - 1) + 1)
    draw = partial(ax.plot, marker="o", markersize=2.5, markevery=STEPS)
    labels = []
    for row, dimension in enumerate(dimensions):
        labels.append(f"{dimension}, {dimension + 1}")
        length = lengths[dimension // 2]
        turn = 2 * math.pi * x / length
        [sine] = draw(x, 0.4 * np.sin(turn) - row, color=main_color(), linewidth=1.5)
        [cosine] = draw(x, 0.4 * np.cos(turn) - row, color=ORANGE, linewidth=1.2, linestyle="--")
        decimals = 1 if length < 100 else 0
        _write_on_the_right(ax, f"{length:,.{decimals}f} positions", -row)

    ax.annotate(
        f"wavelength\n2π · 10000^(2i / {d_model})",
        (1, 1),
        xycoords="axes fraction",
        xytext=(6, 4),
        textcoords="offset points",
    )
    ax.set_yticks(-np.arange(len(labels)), labels)
    ax.set_ylabel("features 2i, 2i + 1")
    ax.set_xlabel("position")
    ax.margins(x=0)
    ax.legend(
        [sine, cosine],
        ["sine, 2i", "cosine, 2i + 1"],
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        ncols=2,
        frameon=False,
        handlelength=3,
    )
    return ax


def _write_on_the_right(ax, text: str, y: float) -> None:
    ax.annotate(
        text,
        (1, y),
        xycoords=("axes fraction", "data"),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
    )
