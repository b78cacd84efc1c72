"""A test of eight sentences, and tests that are drawn from it."""

import numpy as np

from .frame import INK, LINE, MARGIN, MINUS, SMALL, WIDTH, Drawing, tint

DIFFERENCES = (0, 4, 0, -2, 9, 0, 3, -6)  # of the scores of two translators, sentence by sentence
N_DRAWS = 4
SEED = 2
COLOR = "#57606A"


def drawn_sentences() -> np.ndarray:
    """Return the sentences of every drawn test, (N_DRAWS, 8)."""
    rng = np.random.default_rng(SEED)
    n = len(DIFFERENCES)
    return rng.integers(n, size=(N_DRAWS, n))


def signed(value: float) -> str:
    """Return a difference with its sign.

    >>> signed(0.5), signed(0)
    ('+0.5', '0')
    """
    if value == 0:
        return "0"
    return f"{value:+g}".replace("-", MINUS)


def bootstrap() -> Drawing:
    """Draw the differences of one test, and what becomes of their mean in others."""
    draws = drawn_sentences()
    drawing = Drawing(
        "The bootstrap",
        "Eight sentences with the difference of two scores, and their mean. Below, four tests of "
        "eight sentences drawn from these, some twice and some not at all. Each has another mean, "
        "and a dot shows where it is.",
    )
    left = MARGIN + 78
    step = 44
    axis_left = 550
    axis_right = WIDTH - MARGIN - 20
    differences = np.array(DIFFERENCES)
    rows = [np.arange(len(differences)), *draws]
    means = [float(differences[row].mean()) for row in rows]
    widest = max(abs(mean) for mean in means) + 0.5
    zero = (axis_left + axis_right) / 2
    unit = (axis_right - axis_left) / 2 / widest

    drawing.text(left, 30, f"a {MINUS} b, in sentence 0 to 7", size=SMALL, anchor="start")
    drawing.text(axis_left - 20, 30, "mean", size=SMALL, anchor="end")
    y = 66
    names = ["the test", *[f"draw {i}" for i in range(N_DRAWS)]]
    bottom = 0.0
    for name, row, mean in zip(names, rows, means, strict=True):
        drawing.text(MARGIN, y, name, size=SMALL, anchor="start")
        for place, sentence in enumerate(row):
            value = differences[sentence]
            fill = tint("#0072B2" if value > 0 else "#D55E00", min(abs(value), 9) / 9 * 0.5)
            x = left + step * (place + 0.5)
            drawing.box(x, y, step - 6, 34, signed(value), fill=fill, edge=COLOR, size=SMALL)
        x = zero + unit * mean
        drawing.dot(x, y, INK if name == "the test" else LINE, radius=8)
        drawing.text(axis_left - 20, y, signed(round(mean, 2)), size=SMALL, anchor="end")
        bottom = y
        if name == "the test":
            drawing.text(
                left,
                y + 40,
                "drawn from these, with replacement:",
                size=SMALL,
                anchor="start",
            )
            y += 34
        y += 50
    drawing.line((zero, 48), (zero, bottom + 24), color=LINE, thick=1.5, dashed=True)
    drawing.text(zero, bottom + 38, "0", size=SMALL)
    return drawing
