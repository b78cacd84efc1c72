"""Two heads: one word, two softmaxes, two means, joined by W^O."""

import numpy as np

from npformer.layers import Softmax

from .frame import (
    CELL_HEIGHT,
    CELL_WIDTH,
    K_COLOR,
    LINE,
    MARGIN,
    Q_COLOR,
    SMALL,
    V_COLOR,
    VECTOR_COLOR,
    WIDTH,
    Box,
    Drawing,
    columns,
)
from .sentence import PHRASE

SCORES = np.array(
    [
        [0.0, 3.0, 0.0, 0.0, 1.0],  # head 0 looks for the other half of the verb
        [0.0, 0.0, 0.0, 1.0, 3.0],  # head 1 looks for what is turned off
    ]
)
VALUES = np.array(
    [
        [[1.0, 0.0], [0.0, 3.0], [1.0, 1.0], [1.0, 2.0], [2.0, 0.0]],
        [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 2.0], [3.0, 1.0]],
    ]
)
W_O = np.array(
    [[0.5, 0.0, -0.5, 0.0], [0.0, 0.5, 0.0, 0.5], [0.5, 0.0, 0.5, 0.0], [0.0, 0.5, 0.0, -0.5]]
)
QUESTIONS = ("which verb is it?", "what is turned?")
THICKEST = 12


def many_heads() -> Drawing:
    """Draw one word that looks at two others with two heads."""
    drawing = Drawing(
        "Many heads: one word looks at two",
        "The word turn looks at off with head 0 and at radio with head 1. The two results are laid "
        "side by side and multiplied with W^O.",
    )
    weights = Softmax()(SCORES)  # (H, S)
    means = []
    results = []
    middle = WIDTH / 2
    gap = 28
    for head, (left, right) in enumerate(((MARGIN, middle - gap), (middle + gap, WIDTH - MARGIN))):
        mean = weights[head] @ VALUES[head]
        means.append(mean)
        results.append(_draw_head(drawing, head, left, right, weights[head], mean))

    joined_y = 394
    product_y = 462
    result_y = 530
    joined = np.concatenate(means)
    row = drawing.cells(middle, joined_y, joined, V_COLOR, largest=3)
    drawing.text(row.right + 16, joined_y, "side by side", size=SMALL, anchor="start")
    quarter = row.width / 4
    for result, x in zip(results, (middle - quarter, middle + quarter), strict=True):
        drawing.arrow(result.at_bottom, (x, row.top), color=V_COLOR)

    product = drawing.box(middle, product_y, 90, text="· W^{O}")
    drawing.arrow(row.at_bottom, product.at_top)
    output = drawing.cells(middle, result_y, joined @ W_O, VECTOR_COLOR, largest=3)
    drawing.arrow(product.at_bottom, output.at_top)
    drawing.text(output.right + 16, result_y, 'new vector of "turn"', size=SMALL, anchor="start")
    return drawing


def _draw_head(
    drawing: Drawing,
    head: int,
    left: float,
    right: float,
    weights: np.ndarray,
    mean: np.ndarray,
) -> Box:
    """Draw the words that a head looks at, with its weights, and return the cells of its mean."""
    name_y = 40
    query_y = 92
    word_y = 182
    weight_y = 218
    mean_y = 316
    middle = (left + right) / 2
    drawing.text(left, name_y, f"head {head}", anchor="start", bold=True)
    drawing.text(left + 90, name_y, QUESTIONS[head], anchor="start", size=SMALL, color=LINE)
    query = drawing.word(middle, query_y, "turn", Q_COLOR)

    strongest = int(np.argmax(weights))
    ends = columns(len(PHRASE), middle - CELL_WIDTH, middle + CELL_WIDTH)
    boxes = drawing.sentence(PHRASE, word_y, SMALL, left, right, marked={strongest: K_COLOR})
    for j, box in enumerate(boxes):
        thick = max(1, THICKEST * weights[j])
        drawing.line((query.x, query.bottom), box.at_top, color=Q_COLOR, thick=thick)
        drawing.text(box.x, weight_y, f"{weights[j]:.2f}", size=SMALL)
        end = (ends[j], mean_y - CELL_HEIGHT / 2)
        drawing.line((box.x, weight_y + 14), end, color=V_COLOR, thick=thick)
    return drawing.cells(middle, mean_y, mean, V_COLOR, largest=3)
