"""From the words of a sentence to one vector, and from it to the logits of classes."""

import numpy as np

from .frame import FAINT, INK, LINE, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, columns

WORDS = ["Frau", "aufmacht", "deine", "Türen", "<pad>"]
X = np.array([[2.0, 0], [1, 4], [0, 1], [1, -1], [3, 2]])  # what the encoder returns
N_REAL = 4
CLASSES = ["right", "prefix", "case"]
W = np.array([[-1.0, 1, 0], [0, 1, 1]])  # of the linear layer


def mean_of_words() -> Drawing:
    """Draw how the encoder, a mean and one linear layer name a class."""
    drawing = Drawing(
        "One vector for a sentence",
        "The encoder makes a vector of each word. The mean of the vectors of the real words is one "
        "vector for the sentence, and a linear layer makes a logit of it for each class. The "
        "vector of the padding is left out.",
    )
    xs = columns(len(WORDS), MARGIN, WIDTH - MARGIN)
    encoder = drawing.box(WIDTH / 2, 106, WIDTH - 2 * MARGIN, text="encoder")
    y = drawing.box(WIDTH / 2, 276, 150, text="mean", edge=INK)
    vectors = []
    for i, x in enumerate(xs):
        is_real = i < N_REAL
        word = drawing.word(x, 40, WORDS[i])
        drawing.arrow(word.at_bottom, (x, encoder.top))
        row = drawing.cells(x, 172, X[i], VECTOR_COLOR if is_real else FAINT, largest=4)
        drawing.arrow((x, encoder.bottom), row.at_top)
        vectors.append(row)
    for i, row in enumerate(vectors[:N_REAL]):
        drawing.arrow(row.at_bottom, (y.x + 30 * (i - 1.5), y.top))
    drawing.text(vectors[-1].x, 214, "left out", size=SMALL, color=LINE)

    mean = X[:N_REAL].mean(0)
    row = drawing.cells(WIDTH / 2, 342, mean, VECTOR_COLOR, largest=4)
    drawing.arrow(y.at_bottom, row.at_top)
    drawing.text(row.left - 16, 342, "one vector", size=SMALL, anchor="end")
    linear = drawing.box(WIDTH / 2, 412, 150, text="linear")
    drawing.arrow(row.at_bottom, linear.at_top)
    logits = drawing.cells(WIDTH / 2, 480, mean @ W, VECTOR_COLOR, width=86)
    drawing.arrow(linear.at_bottom, logits.at_top)
    drawing.text(logits.left - 16, 480, "logits", size=SMALL, anchor="end")
    for i, name in enumerate(CLASSES):
        largest = i == int(np.argmax(mean @ W))
        drawing.text(logits.left + 86 * (i + 0.5), 516, name, size=SMALL, bold=largest)
    return drawing
