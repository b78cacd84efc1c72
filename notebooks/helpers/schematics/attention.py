"""Attention of one word: scores, weights, and the mean of values."""

import numpy as np

from npformer.layers import Softmax

from .frame import (
    CELL_HEIGHT,
    CELL_WIDTH,
    INK,
    K_COLOR,
    MARGIN,
    Q_COLOR,
    SMALL,
    V_COLOR,
    WIDTH,
    Drawing,
    columns,
    number,
)
from .sentence import PHRASE

QUERY = np.array([2.0, 1.0])  # of "turn"
KEYS = np.array([[0.0, 1.0], [1.0, 1.0], [-1.0, 1.0], [1.0, -2.0], [1.0, -1.0]])
VALUES = np.array([[2.0, 0.0], [0.0, 4.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
TALLEST_BAR = 70


def attention() -> Drawing:
    """Draw what attention computes for one query."""
    drawing = Drawing(
        "Attention, for one word",
        "The query of turn is multiplied with the key of each word: scores. Softmax makes weights "
        "of them, which sum to 1. The result is the mean of the values by these weights.",
    )
    scores = KEYS @ QUERY
    weights = Softmax()(scores)
    mean = weights @ VALUES

    word_y = 44
    key_y = 104
    score_y = 156
    bar_base = 270
    value_y = 348
    mean_y = 452
    left = 172  # of the columns of words
    middles = columns(len(PHRASE), left, WIDTH - MARGIN)

    asking = drawing.word(MARGIN + 66, word_y, "turn", Q_COLOR)
    query = drawing.cells(asking.x, key_y, QUERY, Q_COLOR)
    drawing.arrow(asking.at_bottom, query.at_top, color=Q_COLOR)
    first = middles[0] - CELL_WIDTH - 12
    drawing.text(query.left - 12, key_y, "q", color=Q_COLOR)
    drawing.text(first, key_y, "k", color=K_COLOR)
    drawing.text(first, value_y, "v", color=V_COLOR)

    _draw_step(drawing, score_y, "1  score", [("q", Q_COLOR), " · ", ("k", K_COLOR)])
    _draw_step(drawing, bar_base - 40, "2  weight", ["softmax of scores"])
    _draw_step(drawing, value_y, "3  mean", ["weight · ", ("v", V_COLOR)])

    drawing.rule(score_y + 28)
    drawing.rule(bar_base + 36)
    thickest = 12
    target_width = 2 * 56
    ends = columns(len(PHRASE), middles[2] - target_width / 2, middles[2] + target_width / 2)
    for j, x in enumerate(middles):
        drawing.word(x, word_y, PHRASE[j])
        drawing.cells(x, key_y, KEYS[j], K_COLOR, largest=2)
        drawing.text(x, score_y, number(scores[j]), bold=True)

        drawing.bar(x, bar_base, TALLEST_BAR * weights[j], INK)
        drawing.text(x, bar_base + 16, number(weights[j], 2), size=SMALL)

        value = drawing.cells(x, value_y, VALUES[j], V_COLOR, largest=4)
        # the more weight a value has, the thicker its line
        thick = max(1, thickest * weights[j])
        end = (ends[j], mean_y - CELL_HEIGHT / 2)
        drawing.line(value.at_bottom, end, color=V_COLOR, thick=thick)

    result = drawing.cells(middles[2], mean_y, mean, V_COLOR, largest=4, digits=2, width=56)
    drawing.text(result.right + 14, mean_y, 'new vector of "turn"', size=SMALL, anchor="start")
    return drawing


def _draw_step(drawing: Drawing, y: float, name: str, formula: list) -> None:
    """Write the name of a step, and its formula below it."""
    drawing.text(MARGIN, y - 12, name, anchor="start", bold=True)
    drawing.text(MARGIN, y + 13, formula, anchor="start", size=SMALL)
