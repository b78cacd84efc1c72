"""Why scores are divided by the square root of d_k."""

import numpy as np

from npformer.layers import Softmax

from .frame import INK, LINE, MARGIN, SMALL, WIDTH, Drawing, Piece, columns, number
from .sentence import PHRASE

D_K = 64
LARGEST = 16  # the lines are from -16 to 16
TALLEST_BAR = 90


def scores_of_random_vectors() -> np.ndarray:
    """Return the scores of one query and five keys, each of d_k normal numbers."""
    rng = np.random.default_rng(25)
    query = rng.normal(size=D_K)
    keys = rng.normal(size=(len(PHRASE), D_K))
    return keys @ query


def softmax_and_scale() -> Drawing:
    """Draw the weights of the same scores, as they are and divided."""
    drawing = Drawing(
        "Why scores are divided by the square root of d_k",
        "Scores of long vectors are far apart, and softmax gives nearly all weight to one word. "
        "Divided by the square root of d_k they are close, and every word has some weight.",
    )
    scores = scores_of_random_vectors()
    as_they_are: list[Piece] = [f"q · k,  d_{{k}} = {D_K}"]
    divided: list[Piece] = [f"q · k / √d_{{k}}  =  q · k / {D_K**0.5:.0f}"]
    _draw_row(drawing, 40, as_they_are, scores, "far apart: one word takes nearly all")
    drawing.rule(262)
    _draw_row(drawing, 292, divided, scores / D_K**0.5, "close: every word has a say")
    return drawing


def _draw_row(
    drawing: Drawing, top: float, name: list[Piece], scores: np.ndarray, result: str
) -> None:
    """Draw scores on a line, an arrow, and their weights as bars."""
    line_left = MARGIN + 16
    line_right = 320
    bars_left = 400
    line_y = top + 96
    base = top + 150
    drawing.text(MARGIN, top, name, anchor="start", bold=True)
    drawing.text(WIDTH - MARGIN, top, result, anchor="end", size=SMALL)

    middle = (line_left + line_right) / 2
    unit = (line_right - line_left) / 2 / LARGEST
    drawing.line((line_left, line_y), (line_right, line_y))
    for tick in (-LARGEST, 0, LARGEST):
        x = middle + unit * tick
        drawing.line((x, line_y - 6), (x, line_y + 6))
        drawing.text(x, line_y + 24, number(tick), size=SMALL, color=LINE)
    drawing.arrow((line_right + 24, line_y), (bars_left - 16, line_y))
    drawing.text((line_right + bars_left) / 2 + 4, line_y - 22, "softmax", size=SMALL)

    weights = Softmax()(scores)
    best = int(np.argmax(scores))
    for score in sorted(scores):  # the best is the last, so that no other hides it
        color = INK if score == scores[best] else LINE
        drawing.dot(middle + unit * score, line_y, color, radius=6)
    for j, x in enumerate(columns(len(PHRASE), bars_left, WIDTH - MARGIN)):
        color = INK if j == best else LINE
        drawing.bar(x, base, TALLEST_BAR * weights[j], color, width=34)
        drawing.text(x, base - TALLEST_BAR * weights[j] - 14, f"{weights[j]:.2f}", size=SMALL)
        drawing.text(x, base + 20, PHRASE[j], size=SMALL)
