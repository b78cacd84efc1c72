"""Figures without a screen: made, saved, and as large as it takes for their tokens to stand whole."""

import io
import os
import unicodedata
from collections.abc import Sequence

from ...utils import AnyPath, InputError, import_optional, write_atomic
from .attention import LETTERS, SMALL

ENDINGS = ("png", "svg", "pdf")
NARROWEST = 4.5  # inches, a title's width


def new_figure(n_rows: int = 1, n_columns: int = 1, *, width: float = 7, height: float = 4):
    """Return a figure of `width` x `height` inches and its axes, as `matplotlib.pyplot.subplots` would."""
    figure = import_optional("matplotlib.figure", "npformer").Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.06)  # inches
    return figure, figure.subplots(n_rows, n_columns)


def picture_format(path: AnyPath) -> str:
    """Return "png", "svg" or "pdf", as a file's name ends. Raises `InputError` when it ends otherwise.

    >>> picture_format("heads.svg")
    'svg'
    """
    ending = os.path.splitext(path)[1].lstrip(".")
    if ending not in ENDINGS:
        raise InputError(f"cannot write a picture to {path}: expected a name that ends in .{', .'.join(ENDINGS)}")
    return ending


def save_figure(figure, path: AnyPath, *, dots_per_inch: int = 150) -> None:
    """Write a figure to a PNG, SVG or PDF file, whole or not at all."""
    content = io.BytesIO()
    figure.savefig(content, format=picture_format(path), dpi=dots_per_inch)
    write_atomic(path, content.getvalue())


def text_width(tokens: Sequence[str], *, letters: float = 10) -> float:
    """Return about how wide the widest of some tokens is, in inches, in letters of so many points.

    >>> text_width(["Hund", "Katze"]) < text_width(["\u4f60\u597d\u4e16\u754c"])
    True
    """
    ems = [sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.62 for c in token) for token in tokens]
    return max(ems, default=0) * letters / 72


def map_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention`, as `new_figure` takes it.

    >>> size = map_size(["der", "Hund"], ["the", "dog"])
    >>> sorted(size), map_size(["der"] * 60, ["the"] * 60)["width"] > 12
    (['height', 'width'], True)
    """
    large = len(keys) <= SMALL and len(queries) <= SMALL
    cell = (0.55, 0.4) if large else (0.22, 0.22)
    slant = 0.75 if len(keys) <= SMALL else 1
    width = text_width(queries) + cell[0] * len(keys) + 1.2
    return {"width": max(width, NARROWEST), "height": slant * text_width(keys) + cell[1] * len(queries) + 0.9}


def grid_size(queries: Sequence[str], keys: Sequence[str], n_rows: int, n_columns: int) -> dict[str, float]:
    """Return the size of a figure for `plot_attention_grid` with so many rows and columns."""
    cell = min(max(2.4 / max(len(queries), len(keys)), 0.14), 0.3)
    across, down = max(cell * len(keys), 1.05), max(cell * len(queries), 0.5)
    width = text_width(queries, letters=LETTERS) + n_columns * (across + 0.15) + 0.9
    height = text_width(keys, letters=LETTERS) + n_rows * (down + 0.35) + 0.5
    return {"width": max(width, NARROWEST), "height": height}


def lines_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention_lines`."""
    rows = max(len(queries), len(keys))
    width = text_width(queries) + text_width(keys) + 3.2 + 0.06 * max(rows - SMALL, 0)
    return {"width": max(width, NARROWEST), "height": (0.28 if rows <= SMALL else 0.22) * rows + 1.3}
