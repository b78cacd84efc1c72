"""How large a figure must be for its tokens to stand whole: the keyword arguments of `new_figure`, in inches."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from .attention import SMALL
from .attention_grid import LETTERS

NARROWEST = 4.5  # a title's width


def text_width(tokens: Sequence[str], *, letters: float = 10) -> float:
    """Return about how wide the widest of some tokens is, in inches, in letters of so many points.

    >>> text_width(["Hund", "Katze"]) < text_width(["\u4f60\u597d\u4e16\u754c"])
    True
    """
    ems = [sum(1.0 if unicodedata.east_asian_width(c) in "WF" else 0.62 for c in token) for token in tokens]
    return max(ems, default=0) * letters / 72


def map_size(queries: Sequence[str], keys: Sequence[str]) -> dict[str, float]:
    """Return the size of a figure for `plot_attention`.

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
