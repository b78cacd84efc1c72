"""dy times the Jacobian, without the Jacobian."""

import numpy as np

from .frame import GRADIENT_COLOR, INK, LINE, MARGIN, SMALL, TIMES, Box, Drawing

W = np.array([[1.0, 2.0, 0.0], [-1.0, 1.0, 3.0]])  # (in, out)
DY = np.array([[1.0, 0.0, -1.0], [2.0, 1.0, 0.0]])  # (B, out)
SIDE = 34  # of a cell
GAP = 52  # between two arrays, for a sign


def jacobian_of_linear(batch: int) -> np.ndarray:
    """Return the derivative of each number of y = x W by each number of x, of a batch."""
    return np.kron(np.eye(batch), W.T)  # (B * out, B * in)


def rows_and_jacobian() -> Drawing:
    """Draw the backward of a linear layer twice: with the Jacobian, and row by row."""
    drawing = Drawing(
        "dy J without J",
        "For y = x W with two rows, the Jacobian has six rows and four columns, half of them zero, "
        "and twice the same block. The same gradient is dy, row by row, times the block.",
    )
    jacobian = jacobian_of_linear(len(DY))
    n_y, n_x = jacobian.shape
    row = DY.reshape(1, -1)

    with_y = 44
    drawing.text(MARGIN, with_y, "with J", bold=True, anchor="start")
    drawing.text(
        MARGIN + 96,
        with_y,
        f"every number of y by every number of x: {n_y} {TIMES} {n_x}",
        size=SMALL,
        anchor="start",
    )
    arrays = [("dy", row), ("J", jacobian), ("dx", row @ jacobian)]
    _, j_box, _ = _draw_product(drawing, with_y + 62, arrays)
    n_out, n_in = W.T.shape
    for i in range(len(DY)):
        x = j_box.left + SIDE * n_in * (i + 0.5)
        y = j_box.top + SIDE * n_out * (i + 0.5)
        _draw_frame(drawing, x, y)

    without_y = 372
    drawing.rule(without_y - 36)
    drawing.text(MARGIN, without_y, "without J", bold=True, anchor="start")
    drawing.text(
        MARGIN + 128,
        without_y,
        "the block once, for all rows: the same numbers",
        size=SMALL,
        anchor="start",
    )
    # the block has no name: which matrix it is, is found out in the notebook
    arrays = [("dy", DY), ("block", W.T), ("dx", DY @ W.T)]
    _, w_box, _ = _draw_product(drawing, without_y + 62, arrays)
    _draw_frame(drawing, w_box.x, w_box.y)
    return drawing


def _draw_product(drawing: Drawing, top: float, arrays: list[tuple[str, np.ndarray]]) -> list[Box]:
    """Draw two arrays and their product, with names above and signs between."""
    height = SIDE * max(len(array) for _, array in arrays)
    left: float = MARGIN + 20
    boxes = []
    for i, (name, array) in enumerate(arrays):
        n_rows, n_columns = array.shape
        width = SIDE * n_columns
        first = top + (height - SIDE * n_rows) / 2
        color = LINE if i == 1 else GRADIENT_COLOR
        for j, values in enumerate(array):
            y = first + SIDE * (j + 0.5)
            drawing.cells(left + width / 2, y, values, color, largest=6, width=SIDE, height=SIDE)
        boxes.append(Box(left, first, width, SIDE * n_rows))
        drawing.text(left + width / 2, first - 16, name, size=SMALL, color=color, bold=True)
        if i > 0:
            drawing.text(left - GAP / 2, top + height / 2, ("·", "=")[i - 1], bold=True)
        left += width + GAP
    return boxes


def _draw_frame(drawing: Drawing, x: float, y: float) -> None:
    """Draw a frame around the block that is W transposed."""
    n_rows, n_columns = W.T.shape
    drawing.box(x, y, SIDE * n_columns, SIDE * n_rows, fill="none", edge=INK, thick=4)
