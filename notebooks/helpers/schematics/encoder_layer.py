"""One encoder layer, for one position."""

import numpy as np

from npformer.layers import LayerNorm

from .frame import (
    INK,
    LINE,
    MARGIN,
    SMALL,
    VECTOR_COLOR,
    WIDTH,
    Box,
    Drawing,
    columns,
)
from .sentence import PHRASE

X = np.array([1.0, -1.0, 2.0, 0.0])
ATTENTION = np.array([1.0, 1.0, -1.0, 1.0])  # what attention gives for this position
W_1 = np.array([[1.0, -1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
W_2 = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
WIDE_CELL = 52

LINE_X = 170  # of the residual line
SIDE_X = 510  # of attention and the feed-forward network


def encoder_layer() -> Drawing:
    """Draw the way of one vector through an encoder layer, from the bottom to the top."""
    drawing = Drawing(
        "One encoder layer, for one word",
        "The vector of turn goes up a straight line. Attention adds what it took from the other "
        "words, and LayerNorm follows. A feed-forward network adds what it makes of this word "
        "alone, and LayerNorm follows.",
    )
    norm = LayerNorm(len(X))
    after_attention = norm(X + ATTENTION)
    network = np.maximum(0, after_attention @ W_1) @ W_2
    result = norm(after_attention + network)

    result_y = 44
    second_y = 216  # of +, where the network is added
    middle_y = 372
    first_y = 544  # of +, where attention is added
    x_y = 700
    word_y = 764

    word = drawing.word(LINE_X, word_y, PHRASE[0])
    x = _draw_vector(drawing, x_y, X)
    drawing.arrow(word.at_top, x.at_bottom)
    others = []
    middles = columns(len(PHRASE) - 1, SIDE_X - 180, WIDTH - MARGIN)
    for middle, text in zip(middles, PHRASE[1:], strict=True):
        others.append(drawing.word(middle, word_y, text))

    attention = drawing.box(SIDE_X, first_y + 72, 290, 58)
    drawing.two_lines(attention, "self-attention", "looks at all words")
    for other in others:
        end = SIDE_X + (other.x - SIDE_X) / 2
        drawing.arrow(other.at_top, (end, attention.bottom))
    middle_vector = _draw_sublayer(
        drawing, x, attention, ATTENTION, first_y, after_attention, middle_y
    )

    forward = drawing.box(SIDE_X, second_y + 72, 290, 58)
    drawing.two_lines(forward, "feed-forward", "for each word alone")
    _draw_sublayer(drawing, middle_vector, forward, network, second_y, result, result_y)
    return drawing


def _draw_vector(drawing: Drawing, y: float, values: np.ndarray) -> Box:
    """Draw the vector at a place of the line."""
    return drawing.cells(LINE_X, y, values, VECTOR_COLOR, largest=3, width=WIDE_CELL)


def _draw_sublayer(
    drawing: Drawing,
    x: Box,
    sublayer: Box,
    added: np.ndarray,
    plus_y: float,
    normalized: np.ndarray,
    normalized_y: float,
) -> Box:
    """Draw what goes into a sub-layer, the sum with what comes out, and LayerNorm."""
    branch_y = x.top - 26
    drawing.arrow(
        (LINE_X, branch_y),
        (sublayer.left - 26, branch_y),
        (sublayer.left - 26, sublayer.y),
        sublayer.at_left,
    )
    out = drawing.cells(SIDE_X, plus_y, added, INK, largest=3, width=WIDE_CELL)
    drawing.arrow(sublayer.at_top, out.at_bottom)

    plus = drawing.sign(LINE_X, plus_y, "+")
    drawing.arrow(x.at_top, plus.at_bottom, thick=4)
    drawing.arrow(out.at_left, plus.at_right)
    drawing.text(LINE_X - 14, (x.top + plus.bottom) / 2, "residual", size=SMALL, anchor="end")

    norm = drawing.box(LINE_X, plus_y - 76, 208, text="LayerNorm")
    drawing.arrow(plus.at_top, norm.at_bottom, thick=4)
    vector = _draw_vector(drawing, normalized_y, normalized)
    drawing.arrow(norm.at_top, vector.at_bottom, thick=4)
    drawing.text(
        vector.right + 16,
        normalized_y,
        f"mean 0, standard deviation {normalized.std():.0f}",
        size=SMALL,
        color=LINE,
        anchor="start",
    )
    return vector
