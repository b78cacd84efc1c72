"""Writing: the model's probabilities on a line, a random number on it, one more character."""

from functools import cache

import numpy as np

import npformer as npf

from ..train_english_letters import FOLDER
from .frame import INK, LINE, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, tint

READ = "I turn off the new "
U = 0.5  # the random number
SPECIAL = 4  # tokens that are no text
NAMED = 0.1  # a character with more than this has its name on the line


@cache
def probabilities() -> tuple[list[str], np.ndarray]:
    """Return the characters in the order of their ids, and what the trained model gives them."""
    writer = npf.runs.load(FOLDER)
    ids = np.array([writer.text.encode("\n" + READ)])
    logits = writer.model.forward(ids)[0, -1, SPECIAL:].astype(float)
    exponentials = np.exp(logits - logits.max())
    return writer.text.tokens[SPECIAL:], exponentials / exponentials.sum()


def generating_text() -> Drawing:
    """Draw the text, the model, the line from 0 to 1 of its probabilities, and the way back."""
    drawing = Drawing(
        "Writing a text, character by character",
        "A text goes into the model. Its probabilities lie end to end on a line from 0 to 1. A "
        "random number falls on one of them, and this character is appended to the text.",
    )
    characters, p = probabilities()
    text = drawing.box(200, 50, 280, text="I turn off the new␣")
    model = drawing.box(560, 50, 150, text="the model")
    drawing.arrow(text.at_right, model.at_left)

    left = MARGIN + 36
    right = WIDTH - MARGIN - 36
    y = 150
    drawing.arrow(model.at_bottom, (model.x, y - 24))
    drawing.text(model.x - 14, 98, "probabilities", size=SMALL, anchor="end")

    ends = left + np.cumsum(p) * (right - left)
    begins = ends - p * (right - left)
    chosen = int(np.searchsorted(np.cumsum(p), U, side="right"))
    pieces = {}
    for i, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        if p[i] < NAMED:
            continue
        fill = tint(VECTOR_COLOR, 0.45 if i == chosen else 0.12)
        pieces[i] = drawing.box((begin + end) / 2, y, end - begin, 38, fill=fill, edge=LINE)
        drawing.text(pieces[i].x, y, f"{characters[i]}  {p[i]:.2f}", size=SMALL)
    drawing.line((left, y + 19), (right, y + 19), color=INK)
    drawing.text(left - 16, y + 19, "0", size=SMALL)
    drawing.text(right + 16, y + 19, "1", size=SMALL)

    u = left + U * (right - left)
    drawing.arrow((u, y - 44), (u, y - 22), color=INK)
    drawing.text(u - 12, 98, f"a random number: {U}", size=SMALL, anchor="end")

    below = y + 62
    start = pieces[chosen].at_bottom
    drawing.line(start, (start[0], below), (MARGIN, below), (MARGIN, text.y), color=INK)
    drawing.arrow((MARGIN, text.y), text.at_left, color=INK)
    drawing.text(start[0] - 14, y + 44, f"append {characters[chosen]}", size=SMALL, anchor="end")

    n_others = len(p) - len(pieces)
    share = 1 - p[list(pieces)].sum()
    others = f"the {n_others} others share {share:.2f}"
    drawing.text(right, y + 44, others, size=SMALL, anchor="end")
    return drawing
