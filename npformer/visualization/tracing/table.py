"""Tables for a terminal and for a notebook."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

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


class Table(NamedTuple):
    r"""A table with a title, for a terminal and for a notebook; one row may be marked, and lines may stand below.

    >>> print(Table("means", ["layer", "mean"], [["encoder", "0.5"], ["decoder", "-1"]], marked=1))
    means
      layer    mean
      encoder   0.5
    > decoder    -1
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    marked: int | None = None
    below: Sequence[str] = ()

    def __str__(self):
        """Return the lines; where they would be wider than a terminal, the first column loses its front."""
        widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        widths[0] = min(widths[0], WIDTH - sum(widths[1:]) - 2 * len(widths))
        lines = []
        for number, (name, *cells) in enumerate([self.header, *self.rows], start=-1):
            name = name if len(name) <= widths[0] else "…" + name[len(name) - widths[0] + 1 :]
            cells = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
            lines.append(("> " if number == self.marked else "  ") + "  ".join([f"{name:<{widths[0]}}", *cells]))
        return "\n".join([self.title, *lines, *self.below])

    def html(self) -> str:
        """Return HTML, the marked row in bold; colours are the page's own."""
        rows = [html_row("td", row, bold=number == self.marked) for number, row in enumerate(self.rows)]
        lines = [f"<p><b>{escape(self.title)}</b></p>", "<table>", html_row("th", self.header), *rows, "</table>"]
        if self.below:
            lines.append(f"<p>{'<br>'.join(map(escape, self.below))}</p>")
        return "\n".join(lines)


def html_row(cell: str, texts: Sequence[str], *, bold: bool = False) -> str:
    """Return one row of an HTML table, made of th or td: the first text to the left, the others to the right."""
    weight = "; font-weight: bold" if bold else ""
    cells = zip(["left", *["right"] * (len(texts) - 1)], texts, strict=True)
    parts = [f'<{cell} style="text-align: {side}{weight}">{escape(text)}</{cell}>' for side, text in cells]
    return f"<tr>{''.join(parts)}</tr>"


class Tabled:
    """What is shown as its `table()`, in a terminal and in a notebook."""

    def __repr__(self):
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()
