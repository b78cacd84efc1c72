"""Figures: made without a screen, saved, and large enough for their tokens."""

import io
import os
from collections.abc import Sequence
from typing import Any

from ...utils import AnyPath, InputError, import_optional, write_atomic

ENDINGS = ("png", "svg", "pdf")
MIN_WIDTH = 4.5  # inches, for a title
LETTER = 0.09  # inches, the width of a letter


def new_figure(
    n_rows: int = 1, n_columns: int = 1, *, width: float = 7, height: float = 4
) -> tuple[Any, Any]:
    """Return a figure and its axes, as `matplotlib.pyplot.subplots` would.

    Arguments:
        n_rows: The rows of axes.
        n_columns: The columns of axes.
        width: The width in inches.
        height: The height in inches.
    """
    # not by pyplot, which looks for a screen and keeps every figure until it is closed
    figure = import_optional("matplotlib.figure", "npformer").Figure(
        figsize=(width, height), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)  # inches
    return figure, figure.subplots(n_rows, n_columns)


def picture_format(path: AnyPath) -> str:
    """Return "png", "svg" or "pdf", as the name of a file ends.

    Raises `InputError` when it ends otherwise.

    >>> picture_format("heads.SVG")
    'svg'
    """
    ending = os.path.splitext(path)[1].lstrip(".").lower()
    if ending not in ENDINGS:
        raise InputError(
            f"cannot write a picture to {path}: expected a name that ends in .{', .'.join(ENDINGS)}"
        )
    return ending


def save_figure(figure: Any, path: AnyPath, *, dots_per_inch: int = 150) -> None:
    """Write a figure to a PNG, SVG or PDF file, whole or not at all."""
    # in memory first, because matplotlib would leave a part of a file where it fails
    content = io.BytesIO()
    figure.savefig(content, format=picture_format(path), dpi=dots_per_inch)
    write_atomic(path, content.getvalue())


def map_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention`, as `new_figure` takes it.

    >>> sorted(map_size(["der", "Hund"], ["the", "dog"]))
    ['height', 'width']
    """
    width = widest(queries) + 0.5 * len(keys) + 1.2
    return {"width": max(width, MIN_WIDTH), "height": widest(keys) + 0.4 * len(queries) + 0.9}


def grid_size(
    queries: Sequence[str], keys: Sequence[str], n_rows: int, n_columns: int
) -> dict[str, float]:
    """Return the size of a figure for `plot_attention_grid` with n_rows x n_columns maps."""
    width = widest(queries) + n_columns * max(0.2 * len(keys), 1.2) + 0.9
    height = widest(keys) + n_rows * max(0.2 * len(queries) + 0.35, 0.85) + 0.5
    return {"width": max(width, MIN_WIDTH), "height": height}


def widest(tokens: Sequence[str]) -> float:
    """Return the width in inches of the longest token."""
    return LETTER * max(map(len, tokens), default=0)
