"""Making and saving figures without a screen."""

from __future__ import annotations

import io
import os

from ...base.errors import InputError, require
from ...base.files import write_whole

ENDINGS = ("png", "svg", "pdf")


def new_figure(n_rows: int = 1, n_columns: int = 1, *, width: float = 7, height: float = 4):
    """Return a figure of `width` x `height` inches and its axes, as `matplotlib.pyplot.subplots` would."""
    figure = require("matplotlib.figure", "npformer").Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)  # inches
    return figure, figure.subplots(n_rows, n_columns)


def picture_format(path: str | os.PathLike) -> str:
    """Return "png", "svg" or "pdf", as a file's name ends. Raises `InputError` when it ends otherwise.

    >>> picture_format("heads.svg")
    'svg'
    """
    ending = os.path.splitext(path)[1].lstrip(".")
    if ending not in ENDINGS:
        raise InputError(f"cannot write a picture to {path}: expected a name that ends in .{', .'.join(ENDINGS)}")
    return ending


def save_figure(figure, path: str | os.PathLike, *, dots_per_inch: int = 150) -> None:
    """Write a figure to a PNG, SVG or PDF file, whole or not at all."""
    content = io.BytesIO()
    figure.savefig(content, format=picture_format(path), dpi=dots_per_inch)
    write_whole(path, content.getvalue())
