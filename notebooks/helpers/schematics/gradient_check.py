"""Two ways to the same number: a difference, and backward."""

import numpy as np

from npformer.layers import Softmax

from .frame import (
    FAINT,
    GRADIENT_COLOR,
    INK,
    LINE,
    MARGIN,
    MINUS,
    SMALL,
    WIDTH,
    Drawing,
    columns,
    number,
)
from .sentence import PHRASE

SCORES = np.array([1.0, 3.0, -1.0, 0.0, 1.0])
WORD = PHRASE.index("off")
H = 0.01


def gradient_check() -> Drawing:
    """Draw the derivative of a weight by its score, computed in two ways."""
    drawing = Drawing(
        "A gradient check: two ways to the same number",
        "How does the weight of off change with its score? On the left the score is moved up and "
        "down, and forward runs twice. On the right backward runs once. The numbers must agree.",
    )
    layer = Softmax()
    step = H * np.eye(len(SCORES))[WORD]
    above = layer(SCORES + step)[WORD]
    below = layer(SCORES - step)[WORD]
    numeric = (above - below) / (2 * H)
    layer(SCORES)
    backward = layer.backward(np.eye(len(SCORES))[WORD])[WORD]
    error = abs(numeric - backward) / abs(backward)

    left, right = columns(2, MARGIN, WIDTH - MARGIN)
    width = 300
    word_y = 44
    score_y = 88
    first_y = 186
    second_y = 278
    number_y = 372

    middle = WIDTH / 2
    cell_width = 76
    row_width = cell_width * len(PHRASE)
    middles = columns(len(PHRASE), middle - row_width / 2, middle + row_width / 2)
    for j, x in enumerate(middles):
        is_asked = j == WORD
        drawing.text(x, word_y, PHRASE[j], bold=is_asked)
        color = INK if is_asked else FAINT
        drawing.cells(x, score_y, SCORES[j : j + 1], color, largest=6, width=cell_width)
    drawing.text(middle - row_width / 2 - 14, score_y, "scores", size=SMALL, anchor="end")
    under = score_y + 17

    move = drawing.box(left, first_y, width, 64)
    drawing.two_lines(move, "forward twice", f"score {number(SCORES[WORD])} \u00b1 {H}")
    drawing.arrow((middles[WORD] - 14, under), move.at_top)
    weights = drawing.box(left, second_y, width, 44, edge=FAINT)
    drawing.text(left, second_y, f"({above:.5f} {MINUS} {below:.5f}) / {2 * H}", size=SMALL)
    drawing.arrow(move.at_bottom, weights.at_top)

    back = drawing.box(right, first_y, width, 64, edge=GRADIENT_COLOR)
    drawing.two_lines(back, "backward once", "softmax.backward(dy)", code=True)
    drawing.arrow((middles[WORD] + 14, under), back.at_top, color=GRADIENT_COLOR)

    one = drawing.box(left, number_y, 150, text=f"{numeric:.4f}", thick=3, edge=INK)
    other = drawing.box(right, number_y, 150, text=f"{backward:.4f}", thick=3, edge=GRADIENT_COLOR)
    drawing.arrow(weights.at_bottom, one.at_top)
    drawing.arrow(back.at_bottom, other.at_top, color=GRADIENT_COLOR)
    drawing.text(middle, number_y, "\u2248", size=32, bold=True)
    drawing.text(middle, number_y + 40, f"relative difference {error:.0e}", size=SMALL, color=LINE)
    return drawing
