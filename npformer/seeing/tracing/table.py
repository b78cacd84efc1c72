"""Tables for a terminal and for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

WIDTH = 100  # columns of a terminal


def figures(value) -> list[str]:
    """Return shape, mean and spread (standard deviation) of an array as text, in float64; of None three dashes.

    >>> figures(np.array([[1.0, 3.0]]))
    ['(1, 2)', '2', '1']
    """
    if isinstance(value, (bool, int, float)):
        return ["number", f"{value:.3g}", "-"]
    if not isinstance(value, np.ndarray):
        return ["-", "-", "-"]
    if value.size == 0:
        return [str(value.shape), "-", "-"]
    with np.errstate(all="ignore"):
        mean, spread = value.mean(dtype=float), value.std(dtype=float)
    return [str(value.shape), f"{mean:.3g}", f"{spread:.3g}"]


def norm(value) -> str:
    """Return the Euclidean norm of all numbers of an array as text, or a dash.

    >>> norm(np.array([[3.0], [4.0]])), norm(None)
    ('5', '-')
    """
    if not isinstance(value, np.ndarray):
        return "-"
    with np.errstate(all="ignore"):
        return f"{np.linalg.norm(value.astype(float)):.3g}"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, marked: int | None = None) -> list[str]:
    r"""Return the lines of a table, the first column to the left, the others to the right; one row may be marked.

    Where the whole would be wider than a terminal, the first column loses its front.

    >>> print(*text_table(["layer", "mean"], [["encoder", "0.5"], ["decoder", "-1"]], marked=1), sep="\n")
      layer    mean
      encoder   0.5
    > decoder    -1
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths))
    lines = []
    for number, (name, *cells) in enumerate([header, *rows], start=-1):
        name = name if len(name) <= widths[0] else "…" + name[len(name) - widths[0] + 1 :]
        cells = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append(("> " if number == marked else "  ") + "  ".join([f"{name:<{widths[0]}}", *cells]))
    return lines


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, marked: int | None = None) -> str:
    """Return the table as HTML, the marked row in bold; colours are the page's own."""
    lines = ["<table>", row_of("th", header)]
    lines += [row_of("td", row, "font-weight: bold" if number == marked else "") for number, row in enumerate(rows)]
    return "\n".join([*lines, "</table>"])


def row_of(cell: str, texts: Sequence[str], style: str = "") -> str:
    """Return one row of an HTML table, made of th or td."""
    sides = ["left"] + ["right"] * (len(texts) - 1)
    parts = [
        f'<{cell} style="text-align: {side}; {style}">{escape(text)}</{cell}>'
        for side, text in zip(sides, texts, strict=True)
    ]
    return f"<tr>{''.join(parts)}</tr>"
