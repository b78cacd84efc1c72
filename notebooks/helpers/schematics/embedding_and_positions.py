"""From a word to its vector: a row of the table, and a row of waves."""

import numpy as np

from npformer.layers.positional_encoding import sinusoids

from .frame import (
    FAINT,
    INK,
    LINE,
    MARGIN,
    POSITION_COLOR,
    SMALL,
    VECTOR_COLOR,
    WIDTH,
    Drawing,
    columns,
)
from .sentence import SOURCE

WORD = "radio"
D_MODEL = 4
N_ROWS_SHOWN = 5
ROW_HEIGHT = 30
WIDE_CELL = 52  # for a sign, a digit, a point and a digit


def embedding_table(n_rows: int) -> np.ndarray:
    """Return an embedding table of numbers with one digit after the point."""
    table = np.random.default_rng(1).normal(scale=D_MODEL**-0.5, size=(n_rows, D_MODEL))
    return table.round(1)


def embedding_and_positions() -> Drawing:
    """Draw how an id and a position become one vector."""
    drawing = Drawing(
        "Embedding and positions",
        "The id of radio picks a row of the embedding table, and its position picks a row of "
        "waves. The row of the table, times the square root of d_model, plus the row of waves is "
        "the vector that enters the encoder.",
    )
    ids = {word: i for i, word in enumerate(sorted(SOURCE, key=str.lower))}
    position = SOURCE.index(WORD)
    table = embedding_table(len(ids))
    waves = sinusoids(len(SOURCE), D_MODEL)

    panel_top = 196
    sum_y = 420
    left_x = 190
    right_x = 560
    _draw_sentence(drawing, ids, position)
    _draw_table(drawing, left_x, panel_top, table, ids[WORD])
    _draw_waves(drawing, right_x, panel_top, position)

    embedded = D_MODEL**0.5 * table[ids[WORD]]
    row_of_waves = waves[position]
    panel_bottom = panel_top + N_ROWS_SHOWN * ROW_HEIGHT
    left = drawing.cells(left_x, sum_y, embedded, VECTOR_COLOR, largest=2, width=WIDE_CELL)
    right = drawing.cells(
        right_x, sum_y, row_of_waves, POSITION_COLOR, largest=1.5, width=WIDE_CELL
    )
    drawing.arrow((left_x, panel_bottom + 8), left.at_top)
    drawing.arrow((right_x, panel_bottom + 8), right.at_top)
    drawing.text(left_x + 14, panel_bottom + 36, "· √d_{model} = 2", size=SMALL, anchor="start")

    for x, speed in ((right_x - WIDE_CELL, "fast"), (right_x + WIDE_CELL, "slow")):
        drawing.text(x, panel_bottom + 18, speed, size=SMALL, color=LINE)

    plus = drawing.sign((left.right + right.left) / 2, sum_y, "+")
    drawing.line(left.at_right, plus.at_left)
    drawing.line(right.at_left, plus.at_right)
    total = drawing.cells(
        plus.x, sum_y + 84, embedded + row_of_waves, INK, largest=4, width=WIDE_CELL
    )
    drawing.arrow(plus.at_bottom, total.at_top)
    drawing.text(total.right + 16, total.y, "into the encoder", size=SMALL, anchor="start")
    return drawing


def _draw_sentence(drawing: Drawing, ids: dict[str, int], position: int) -> None:
    """Draw the words, with the id and the position of each."""
    word_y = 44
    id_y = 82
    position_y = 110
    label_width = 84
    boxes = drawing.sentence(
        SOURCE, word_y, SMALL, MARGIN + label_width, WIDTH - MARGIN, {position: INK}
    )
    drawing.text(MARGIN, id_y, "id", size=SMALL, color=VECTOR_COLOR, anchor="start")
    drawing.text(MARGIN, position_y, "position", size=SMALL, color=POSITION_COLOR, anchor="start")
    for i, box in enumerate(boxes):
        bold = i == position
        drawing.text(box.x, id_y, str(ids[SOURCE[i]]), size=SMALL, color=VECTOR_COLOR, bold=bold)
        drawing.text(box.x, position_y, str(i), size=SMALL, color=POSITION_COLOR, bold=bold)


def _draw_table(drawing: Drawing, x: float, top: float, table: np.ndarray, row: int) -> None:
    """Draw the rows of the table around a row."""
    drawing.text(x, top - 28, "embedding table", bold=True)
    first = row - N_ROWS_SHOWN // 2
    for i in range(N_ROWS_SHOWN):
        y = top + ROW_HEIGHT * (i + 0.5)
        is_row = first + i == row
        color = VECTOR_COLOR if is_row else FAINT
        cells = drawing.cells(
            x, y, table[first + i], color, largest=1, width=WIDE_CELL, height=ROW_HEIGHT
        )
        drawing.text(
            cells.left - 16, y, str(first + i), size=SMALL, color=VECTOR_COLOR, bold=is_row
        )


def _draw_waves(drawing: Drawing, x: float, top: float, position: int) -> None:
    """Draw a wave for each feature, with a line at a position."""
    drawing.text(x, top - 28, "waves", bold=True)
    height = N_ROWS_SHOWN * ROW_HEIGHT
    last = len(SOURCE) - 1
    left = x - D_MODEL * WIDE_CELL / 2
    right = x + D_MODEL * WIDE_CELL / 2
    swing = 0.42 * WIDE_CELL

    y = top + height * position / last
    drawing.line((left - 4, y), (right + 4, y), color=POSITION_COLOR, thick=2)
    drawing.text(left - 18, y, str(position), size=SMALL, color=POSITION_COLOR, bold=True)
    for feature, middle in enumerate(columns(D_MODEL, left, right)):
        drawing.line((middle, top), (middle, top + height), color=FAINT, thick=1.5)
        points = []
        for step in range(81):
            place = last * step / 80
            # the formula of `sinusoids`, at places between the positions too
            angle = place / 10000 ** (feature // 2 * 2 / D_MODEL)
            value = np.sin(angle) if feature % 2 == 0 else np.cos(angle)
            points.append((middle + swing * value, top + height * step / 80))
        drawing.curve(points, color=LINE, thick=2)
        value = sinusoids(len(SOURCE), D_MODEL)[position, feature]
        drawing.dot(middle + swing * value, y, POSITION_COLOR)
