"""What each position may see: padding, the future, and the source from the target."""

import numpy as np

from npformer.layers.masks import causal_mask, padding_mask

from .frame import (
    FAINT,
    INK,
    K_COLOR,
    LINE,
    MARGIN,
    PAPER,
    Q_COLOR,
    SMALL,
    WIDTH,
    Drawing,
    columns,
    tint,
)

SOURCE = ["the", "new", "radio", "<pad>"]
TARGET = ["<bos>", "das", "neue", "Radio"]
PAD_ID = 0
SOURCE_IDS = np.array([[7, 4, 6, PAD_ID]])
CELL_WIDTH = 58
CELL_HEIGHT = 34
LABEL_WIDTH = 76  # of the words before the rows


def masks() -> Drawing:
    """Draw the masks of the three kinds of attention."""
    drawing = Drawing(
        "Masks: what each word may see",
        "Rows are the words that look, columns those that they may see. Encoder: all but padding. "
        "Decoder: itself and what was written before. Cross-attention: all of the source but "
        "padding.",
    )
    encoder = np.broadcast_to(padding_mask(SOURCE_IDS, PAD_ID)[0], (len(SOURCE), len(SOURCE)))
    decoder = causal_mask(len(TARGET))
    cross = np.broadcast_to(padding_mask(SOURCE_IDS, PAD_ID)[0], (len(TARGET), len(SOURCE)))

    left, right = columns(2, MARGIN, WIDTH - MARGIN)
    upper = 44
    lower = 304
    _draw_mask(drawing, left, upper, ("encoder", "no padding"), SOURCE, SOURCE, encoder)
    _draw_mask(drawing, right, upper, ("decoder", "no future"), TARGET, TARGET, decoder)
    _draw_mask(drawing, left, lower, ("cross", "target looks at source"), TARGET, SOURCE, cross)
    _draw_legend(drawing, right, lower)
    return drawing


def _draw_mask(
    drawing: Drawing,
    x: float,
    top: float,
    name: tuple[str, str],
    queries: list[str],
    keys: list[str],
    mask: np.ndarray,
) -> None:
    """Draw a mask as a grid, its name above it."""
    total = LABEL_WIDTH + CELL_WIDTH * len(keys)
    grid_left = x - total / 2 + LABEL_WIDTH
    grid_top = top + 60
    title, rule = name
    drawing.text(x - total / 2, top, title, anchor="start", bold=True)
    drawing.text(x + total / 2, top, rule, anchor="end", size=SMALL)
    for j, key in enumerate(keys):
        drawing.text(grid_left + CELL_WIDTH * (j + 0.5), top + 40, key, size=SMALL, color=K_COLOR)
    for i, query in enumerate(queries):
        y = grid_top + CELL_HEIGHT * (i + 0.5)
        drawing.text(grid_left - 10, y, query, size=SMALL, color=Q_COLOR, anchor="end")
        for j in range(len(keys)):
            _draw_cell(drawing, grid_left + CELL_WIDTH * (j + 0.5), y, bool(mask[i, j]))


def _draw_cell(drawing: Drawing, x: float, y: float, may_see: bool) -> None:
    """Draw a cell that is full where a word may see another."""
    if may_see:
        fill = tint(INK, 0.6)
    else:
        fill = PAPER
    drawing.box(x, y, CELL_WIDTH - 4, CELL_HEIGHT - 4, fill=fill, edge=FAINT)


def _draw_legend(drawing: Drawing, x: float, top: float) -> None:
    """Say what rows, columns and cells are."""
    left = x - (LABEL_WIDTH + 4 * CELL_WIDTH) / 2
    text_left = left + CELL_WIDTH + 14
    row_height = 42
    first = top + 60 + CELL_HEIGHT / 2
    for i, (may_see, meaning) in enumerate(((True, "may see"), (False, "may not see"))):
        y = first + row_height * i
        _draw_cell(drawing, left + CELL_WIDTH / 2, y, may_see)
        drawing.text(text_left, y, meaning, size=SMALL, anchor="start")
    for i, (color, word, meaning) in enumerate(
        ((Q_COLOR, "row", "the word that looks"), (K_COLOR, "column", "a word to look at"))
    ):
        y = first + row_height * (i + 2)
        drawing.text(left, y, word, size=SMALL, color=color, anchor="start")
        drawing.text(text_left, y, meaning, size=SMALL, color=LINE, anchor="start")
