"""Rows of bars with a name, which softmax's backward, the loss and Adam are drawn with."""

from collections.abc import Sequence

import numpy as np

from .frame import MARGIN, SMALL, WIDTH, Drawing, Piece, columns, number

BARS_LEFT = 226


def middles_of_bars(n: int) -> list[float]:
    """Return the middle of each bar of a row of n."""
    return columns(n, BARS_LEFT, WIDTH - MARGIN)


def draw_row_of_bars(
    drawing: Drawing,
    base: float,
    name: str,
    meaning: str | Sequence[Piece],
    values: np.ndarray,
    unit: float,
    color: str,
    dashed_at: float | None = None,
) -> None:
    """Draw bars on a line, with a name to the left.

    Arguments:
        drawing: where they are drawn
        base: the height of the line
        name: what the bars are
        meaning: a few words below the name
        values: the height of each bar
        unit: how many pixels a bar of 1 is high
        color: of the bars and the name
        dashed_at: the value at which a dashed line is drawn
    """
    drawing.text(MARGIN, base - 14, name, anchor="start", color=color, bold=True)
    drawing.text(MARGIN, base + 14, meaning, anchor="start", size=SMALL)
    for value, x in zip(values, middles_of_bars(len(values)), strict=True):
        drawing.bar(x, base, unit * value, color)
        beyond = 14 if value >= 0 else -14
        drawing.text(x, base - unit * value - beyond, number(value, 2), size=SMALL)

    right = WIDTH - MARGIN
    drawing.line((BARS_LEFT, base), (right, base), thick=1.5)
    if dashed_at is not None:
        y = base - unit * dashed_at
        drawing.line((BARS_LEFT, y), (right, y), dashed=True)
