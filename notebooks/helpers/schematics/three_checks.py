"""Three checks of what a head does: look, ablate, patch."""

import numpy as np

from .frame import (
    FAINT,
    K_COLOR,
    LINE,
    MARGIN,
    Q_COLOR,
    SMALL,
    V_COLOR,
    WIDTH,
    Drawing,
    columns,
    tint,
)

WORDS = ["turn", "off", "radio"]
SCORES = np.array([0.0, 2.0, 0.5])  # of one head, for a query
CELL = 58


def three_checks() -> Drawing:
    """Draw what each check does with a head, and what it shows."""
    weights = np.exp(SCORES) / np.exp(SCORES).sum()
    drawing = Drawing(
        "Look, ablate, patch",
        "To look is to read the weights of a head. To ablate is to replace its result by a mean. "
        "To patch is to put the head's result from another sentence in its place.",
    )
    left, middle, right = columns(3, MARGIN, WIDTH - MARGIN)
    for x, title in ((left, "look"), (middle, "ablate"), (right, "patch")):
        drawing.text(x, 40, title, bold=True)
    for x in ((left + middle) / 2, (middle + right) / 2):
        drawing.line((x, 30), (x, 330), color=FAINT, thick=1.5)

    # look: the weights of one query
    row = drawing.cells(left, 150, weights, K_COLOR, digits=2, width=CELL)
    for i, word in enumerate(WORDS):
        drawing.text(row.left + CELL * (i + 0.5), row.bottom + 20, word, size=SMALL)
    asks = drawing.word(left, 90, "aus ?", Q_COLOR, SMALL)
    drawing.arrow(asks.at_bottom, (left, row.top))

    # ablate: the mean in the place of the head's result
    head = drawing.box(middle, 110, 90, text="head", edge=FAINT, color=LINE, dashed=True)
    drawing.line((head.left - 4, head.bottom + 4), (head.right + 4, head.top - 4), thick=3)
    mean = drawing.box(middle - 68, 180, 70, text="mean", fill=tint(V_COLOR, 0.15), size=SMALL)
    asks = drawing.word(middle + 52, 180, "aus ?", FAINT, SMALL)
    drawing.arrow(mean.at_right, asks.at_left)

    # patch: the result of a run on another sentence
    for y, word, result, color in ((90, "on", "ein", K_COLOR), (180, "off", "aus ?", Q_COLOR)):
        drawing.text(right - 86, y, word, color=color, bold=True)
        box = drawing.box(right - 14, y, 84, text="head", fill=tint(color, 0.12), edge=color)
        end = drawing.word(right + 78, y, result, FAINT, SMALL)
        if y == 90:
            above = box
            drawing.arrow(box.at_right, end.at_left)
    drawing.arrow(above.at_bottom, (end.x - 8, end.top), color=K_COLOR, thick=3)

    for x, lines in (
        (left, ("where it looks.", "Does it matter?")),
        (middle, ("whether it is needed.", "What does it carry?")),
        (right, ("what it carries.", "And other heads?")),
    ):
        drawing.text(x, 256, "shows", size=SMALL, color=LINE)
        drawing.text(x, 284, lines[0], size=SMALL, bold=True)
        drawing.text(x, 318, lines[1], size=SMALL, color=LINE)
    return drawing
