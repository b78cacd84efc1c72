"""One step of an LSTM: what its gates do on the line of the cell."""

import numpy as np

from .frame import INK, MARGIN, SMALL, TIMES, VECTOR_COLOR, WIDTH, Box, Drawing

C_OLD = np.array([0.9, -0.6])
F = np.array([1.0, 0.0])
I = np.array([0.0, 1.0])  # noqa: E741, as in the formula
G = np.array([-0.7, 0.8])
O = np.array([1.0, 0.5])  # noqa: E741

CELL_Y = 84  # of the line from cell to cell
GATE_Y = 350  # of i, g and o
SUM_X = 355


def lstm() -> Drawing:
    """Draw how a step keeps, adds and shows, for a cell of two features."""
    drawing = Drawing(
        "One step of an LSTM",
        "A line goes from the old cell to the new one. The forget gate multiplies what is on it, "
        "and what the input gate lets in of the offer is added. The output gate lets tanh of the "
        "new cell out. The first feature is kept, the second one replaced.",
    )
    kept = F * C_OLD
    added = I * G
    c = kept + added
    h = O * np.tanh(c)

    below = drawing.box(
        WIDTH / 2, 462, WIDTH - 2 * MARGIN, text="x and h_{old}, times W_{f}, W_{i}, W_{g}, W_{o}"
    )

    old = _row(drawing, 80, CELL_Y, C_OLD, "c_{old}")
    f = _gate(drawing, 175, 226, F, "f", "keep", below)
    keep = drawing.sign(175, CELL_Y, TIMES)
    drawing.arrow(f.at_top, keep.at_bottom)
    kept_row = _row(drawing, 265, CELL_Y, kept, "kept")
    plus = drawing.sign(SUM_X, CELL_Y, "+")
    drawing.arrow(old.at_right, keep.at_left, thick=4)
    drawing.arrow(keep.at_right, kept_row.at_left, thick=4)
    drawing.arrow(kept_row.at_right, plus.at_left, thick=4)

    i = _gate(drawing, 288, GATE_Y, I, "i", "let in", below)
    g = _gate(drawing, 416, GATE_Y, G, "g", "offer", below, VECTOR_COLOR)
    let_in = drawing.sign(SUM_X, 270, TIMES)
    drawing.arrow(i.at_top, (let_in.left + 4, let_in.bottom - 4))
    drawing.arrow(g.at_top, (let_in.right - 4, let_in.bottom - 4))
    added_row = drawing.cells(SUM_X, 196, added, VECTOR_COLOR, largest=1)
    drawing.text(added_row.right + 10, 196, "added", size=SMALL, anchor="start")
    drawing.arrow(let_in.at_top, added_row.at_bottom)
    drawing.arrow(added_row.at_top, plus.at_bottom)

    new = _row(drawing, 470, CELL_Y, c, "c")
    drawing.arrow(plus.at_right, new.at_left, thick=4)
    drawing.arrow(new.at_right, (WIDTH - MARGIN, CELL_Y), thick=4)
    drawing.text(616, CELL_Y - 24, "to the next step", size=SMALL)

    tanh = drawing.box(566, 196, 76, text="tanh")
    drawing.arrow((566, CELL_Y), tanh.at_top)
    show = drawing.sign(566, 270, TIMES)
    drawing.arrow(tanh.at_bottom, show.at_top)
    o = _gate(drawing, 566, GATE_Y, O, "o", "show", below)
    drawing.arrow(o.at_top, show.at_bottom)
    shown = _row(drawing, 650, 270, h, "h")
    drawing.arrow(show.at_right, shown.at_left)
    return drawing


def _row(drawing: Drawing, x: float, y: float, values: np.ndarray, name: str) -> Box:
    """Draw a vector of two features with its name above."""
    drawing.text(x, y - 36, name, size=SMALL)
    return drawing.cells(x, y, values, VECTOR_COLOR, largest=1)


def _gate(
    drawing: Drawing,
    x: float,
    y: float,
    values: np.ndarray,
    name: str,
    word: str,
    below: Box,
    color: str = INK,
) -> Box:
    """Draw a vector that comes from the box below, with its name at the left."""
    row = drawing.cells(x, y, values, color, largest=1)
    drawing.text(row.left - 12, y, name, bold=True)
    drawing.arrow((x, below.top), row.at_bottom)
    drawing.text(x + 10, (GATE_Y + below.top) / 2 + 10, word, size=SMALL, anchor="start")
    return row
