"""Two programs with the same weights, compared from the bottom up."""

from math import erf

import numpy as np

from .frame import INK, LINE, SMALL, VECTOR_COLOR, WIDTH, Drawing

EMBEDDED = np.array([1.0, -1])
W_1 = np.array([[1.0, 1], [0, 2]])
W_2 = np.array([[1.0, 0], [1, 1]])
LAYERS = ["embedding", "linear", "activation", "linear"]  # from the bottom up
STEP = 74
CELL = 62


def gelu(x: np.ndarray) -> np.ndarray:
    """Return GELU of each number."""
    return np.array([b * (1 + erf(b / 2**0.5)) / 2 for b in x])


def relu(x: np.ndarray) -> np.ndarray:
    """Return ReLU of each number."""
    return np.maximum(x, 0)


def outputs(activation) -> list[np.ndarray]:
    """Return what each of the LAYERS returns."""
    hidden = EMBEDDED @ W_1
    active = activation(hidden)
    return [EMBEDDED, hidden, active, active @ W_2]


def first_difference() -> Drawing:
    """Draw what the layers of two programs return, with equal and unequal signs between."""
    drawing = Drawing(
        "The first layer that differs",
        "Two stacks of four layers with the same weights, theirs with GELU and ours with ReLU. "
        "From the bottom up the embedding and the first linear layer return the same, the "
        "activation does not, and what comes after it differs as a consequence.",
    )
    theirs = outputs(gelu)
    ours = outputs(relu)
    left, middle, right = 230, 360, 490
    drawing.text(left, 36, "theirs: GELU", bold=True)
    drawing.text(right, 36, "ours: ReLU", bold=True)
    bottom = 80 + STEP * (len(LAYERS) - 1)
    is_equal = [np.allclose(a, b) for a, b in zip(theirs, ours, strict=True)]
    first = is_equal.index(False)
    for i, name in enumerate(LAYERS):
        y = bottom - STEP * i
        thick = i == first
        for x, values in ((left, theirs[i]), (right, ours[i])):
            row = drawing.cells(x, y, values, VECTOR_COLOR, digits=2, width=CELL, largest=1)
            if i > 0:
                drawing.arrow((x, y + STEP - row.height / 2), (x, y + row.height / 2))
        drawing.text(middle, y, "=" if is_equal[i] else "≠", bold=thick)
        drawing.text(24, y, name, size=SMALL, anchor="start", bold=thick)
        if i >= first:
            note = "the first: look here" if thick else "a consequence"
            color = INK if thick else LINE
            drawing.text(WIDTH - 16, y, note, size=16, anchor="end", color=color, bold=False)
    return drawing
