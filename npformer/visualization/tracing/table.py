"""Tables of arrays, as text and as HTML."""

from collections.abc import Sequence
from html import escape

import numpy as np


def statistics(value) -> list[str]:
    """Return shape, mean and standard deviation of an array as text, in float64.

    >>> statistics(np.array([[1.0, 3.0]])), statistics(None)
    (['(1, 2)', '2', '1'], ['-', '-', '-'])
    """
    if not isinstance(value, np.ndarray) or value.size == 0:
        return ["-", "-", "-"]
    return [str(value.shape), f"{value.mean(dtype=float):.3g}", f"{value.std(dtype=float):.3g}"]


def norm(value) -> str:
    """Return the Euclidean norm of an array as text, or a dash.

    >>> norm(np.array([[3.0], [4.0]])), norm(None)
    ('5', '-')
    """
    return f"{np.linalg.norm(value.astype(float)):.3g}" if isinstance(value, np.ndarray) else "-"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows below a header as an HTML table."""
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows below a header, the first column to the left and the others to the right.

    >>> print(text_table(["layer", "mean"], [["encoder", "0.5"], ["decoder", "-1"]]))
    layer    mean
    encoder   0.5
    decoder    -1
    """
    first, *widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        [name.ljust(first), *map(str.rjust, cells, widths)] for name, *cells in [header, *rows]
    ]
    return "\n".join(map("  ".join, lines))
