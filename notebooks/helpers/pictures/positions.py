"""Positional encodings: as an image, and as waves with their lengths (paper section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from npformer.layers.hyperparameter_checks import check_even
from npformer.utils.errors import InputError
from npformer.visualization.plots.colors import ORANGE, main_color

STEPS = 10  # points of a wave from position to position


def plot_positions(ax, table):
    """Draw a table of positional encodings (positions, d_model) as an image, a row a position; return the Axes.

    `table` is `sinusoids(max_len, d_model)`, or the learned table of a model. The colors run from blue to yellow and
    from dark to light, evenly, and are as far below zero as above it.

    Raises `InputError` when the table has not two axes.
    """
    table = np.asarray(table)
    if table.ndim != 2:
        raise InputError(f"a table of positional encodings has shape {table.shape}: expected (positions, d_model)")
    largest = float(abs(table).max(initial=0)) or 1.0
    image = ax.imshow(table, cmap="cividis", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
    ax.set_xlabel("dimension")
    ax.set_ylabel("position")
    ax.figure.colorbar(image, ax=ax, label="value", fraction=0.04, aspect=30)
    return ax


def wavelengths(d_model: int) -> np.ndarray:
    """Return the wavelength of each pair of dimensions in positions, (d_model / 2,), from 2 pi towards 10000 * 2 pi.

    They form a geometric progression: each is 10000^(2 / d_model) times the one before. Raises `InputError` when
    d_model is odd.

    >>> wavelengths(8).round(1).tolist()
    [6.3, 62.8, 628.3, 6283.2]
    """
    check_even(d_model)
    return 2 * math.pi * 10000.0 ** (np.arange(0, d_model, 2) / d_model)


def plot_position_waves(ax, d_model: int = 512, *, dimensions: Sequence[int] | None = None, n_positions: int = 60):
    """Draw sinusoidal encodings over the positions, a row a pair of dimensions, with the wavelength; return the Axes.

    A pair is the sine in an even dimension, drawn whole, and the cosine in the next, dashed; dots are the positions.
    `dimensions` are even (default: six, evenly spaced up to the last); the first is drawn at the top.

    Raises `InputError` when d_model is odd, or a dimension is odd or not below d_model.
    """
    lengths = wavelengths(d_model)
    if dimensions is None:
        dimensions = sorted({2 * round(pair) for pair in np.linspace(0, d_model // 2 - 1, 6)})
    if wrong := [i for i in dimensions if i not in range(0, d_model, 2)]:
        raise InputError(f"dimension {wrong[0]}: expected an even one from 0 to {d_model - 2}")
    x = np.linspace(0, n_positions - 1, STEPS * (n_positions - 1) + 1)
    for row, dimension in enumerate(dimensions):
        turn = 2 * math.pi * x / lengths[dimension // 2]
        dots = {"marker": "o", "markersize": 2.5, "markevery": STEPS}
        lines = ax.plot(x, 0.4 * np.sin(turn) - row, color=main_color(), linewidth=1.5, **dots)
        lines += ax.plot(x, 0.4 * np.cos(turn) - row, color=ORANGE, linewidth=1.2, linestyle="--", **dots)
        length = lengths[dimension // 2]
        text = f"{length:,.1f} positions" if length < 100 else f"{length:,.0f} positions"
        beside = {"xytext": (6, 0), "textcoords": "offset points", "va": "center"}
        ax.annotate(text, (1, -row), xycoords=("axes fraction", "data"), **beside)
    heading = f"wavelength\n2π · 10000^(2i / {d_model})"
    ax.annotate(heading, (1, 1), xycoords="axes fraction", xytext=(6, 4), textcoords="offset points")
    ax.set_yticks([-row for row in range(len(dimensions))], [f"{even}, {even + 1}" for even in dimensions])
    ax.set_ylabel("dimensions 2i, 2i + 1")
    ax.set_xlabel("position")
    ax.margins(x=0)
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    ax.legend(lines, ["sine, 2i", "cosine, 2i + 1"], **above, ncols=2, frameon=False, handlelength=3)
    return ax
