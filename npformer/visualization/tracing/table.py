"""Tables of arrays, as text and as HTML."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np


def statistics(value: Any) -> list[str]:
    """Return shape, mean and standard deviation of an array as text, in float64.

    >>> statistics(np.array([[1.0, 3.0]])), statistics(None)
    (['(1, 2)', '2', '1'], ['-', '-', '-'])
    """
    if not isinstance(value, np.ndarray) or value.size == 0:
        return ["-", "-", "-"]
    return [str(value.shape), f"{value.mean(dtype=float):.3g}", f"{value.std(dtype=float):.3g}"]


def norm(value: Any) -> str:
    """Return the Euclidean norm of an array as text, or a dash.

    >>> norm(np.array([[3.0], [4.0]])), norm(None)
    ('5', '-')
    """
    if not isinstance(value, np.ndarray):
        return "-"
    return f"{np.linalg.norm(value.astype(float)):.3g}"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows below a header as an HTML table."""
    lines = [_html_row("th", header)]
    for row in rows:
        lines.append(_html_row("td", row))
    return f"<table>{''.join(lines)}</table>"


def _html_row(tag: str, cells: Sequence[str]) -> str:
    """Return a row of an HTML table, whose cells are th or td."""
    content = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
    return f"<tr>{content}</tr>"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows below a header, the first column to the left and the others to the right.

    >>> print(text_table(["layer", "mean"], [["encoder", "0.5"], ["decoder", "-1"]]))
    layer    mean
    encoder   0.5
    decoder    -1
    """
    all_rows = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*all_rows, strict=True)]
    lines = []
    for name, *cells in all_rows:
        aligned = [name.ljust(widths[0])]
        for cell, width in zip(cells, widths[1:], strict=True):
            aligned.append(cell.rjust(width))
        lines.append("  ".join(aligned))
    return "\n".join(lines)
