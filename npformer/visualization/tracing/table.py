"""Tables for a terminal and for a notebook."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

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


class Table(NamedTuple):
    r"""A table with a title, for a terminal and for a notebook; lines may follow.

    >>> print(Table("means", ["layer", "mean"], [["encoder", "0.5"], ["decoder", "-1"]]))
    means
    layer    mean
    encoder   0.5
    decoder    -1
    """

    title: str
    header: list[str]
    rows: list[list[str]]
    below: Sequence[str] = ()

    def __str__(self):
        first, *widths = [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]
        lines = [self.title]
        for name, *cells in [self.header, *self.rows]:
            lines.append("  ".join([name.ljust(first), *map(str.rjust, cells, widths)]))
        return "\n".join([*lines, *self.below])

    def html(self) -> str:
        """Return HTML."""
        lines = [f"<p><b>{escape(self.title)}</b></p>", "<table>", _html_row("th", self.header)]
        lines += [*(_html_row("td", row) for row in self.rows), "</table>"]
        return "\n".join([*lines, *(f"<p>{escape(line)}</p>" for line in self.below)])


def _html_row(cell: str, texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{cell}>{escape(text)}</{cell}>" for text in texts) + "</tr>"


class Tabled:
    """An object that is shown as its `table()`, in a terminal and in a notebook."""

    def __repr__(self):
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table().html()
