"""The backward of softmax, in bars."""

import numpy as np

from npformer.layers import Softmax

from .bars import draw_row_of_bars, middles_of_bars
from .frame import GRADIENT_COLOR, INK, Drawing, number
from .sentence import PHRASE

SCORES = np.array([1.0, 2.0, 0.0, 0.0, 1.0])
DY = np.array([-1.0, 2.0, 1.0, 0.0, 1.0])


def softmax_backward() -> Drawing:
    """Draw how the gradient of weights becomes that of scores."""
    drawing = Drawing(
        "The backward of softmax",
        "Rows of bars: the weights y, the gradient dy, dy minus its mean weighted by y, and that "
        "times y, which is the gradient of the scores. Its sum is zero.",
    )
    layer = Softmax()
    y = layer(SCORES)
    mean = float(y @ DY)
    dx = layer.backward(DY)

    for word, x in zip(PHRASE, middles_of_bars(len(PHRASE)), strict=True):
        drawing.text(x, 40, word)
    weighted_mean = f"dashed: \u03a3 y dy = {number(mean, 2)}"
    total = f"of the scores, sum {number(dx.sum())}"
    draw_row_of_bars(drawing, 124, "y", "weights", y, 70, INK)
    draw_row_of_bars(drawing, 238, "dy", weighted_mean, DY, 28, GRADIENT_COLOR, mean)
    draw_row_of_bars(drawing, 344, "dy", "compared with it", DY - mean, 28, GRADIENT_COLOR)
    draw_row_of_bars(drawing, 494, "dx", total, dx, 70, GRADIENT_COLOR)
    return drawing
