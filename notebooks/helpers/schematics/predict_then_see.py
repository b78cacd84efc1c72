"""How a language model is scored: it predicts a character, and only then sees it."""

from collections import Counter
from itertools import pairwise

import numpy as np

from .frame import INK, LINE, MARGIN, SMALL, V_COLOR, WIDTH, Drawing, number, tint
from .sentence import SOURCE

TEXT = " ".join(SOURCE[:-1])
LAST = "r"  # the character that has been read
COMES = "a"  # the one that comes
UNIT = 96  # pixels of the probability 1


def counts_after(text: str, last: str) -> dict[str, float]:
    """Return how often each character follows another one, as shares, by character.

    >>> counts_after("abacab", "a")
    {'b': 0.6666666666666666, 'c': 0.3333333333333333}
    """
    followers = Counter(after for before, after in pairwise(text) if before == last)
    total = followers.total()
    return {character: followers[character] / total for character in sorted(followers)}


def predict_then_see() -> Drawing:
    """Draw a text in two parts, a prediction, and its loss."""
    p = counts_after(TEXT, LAST)
    loss = -np.log(p[COMES])
    drawing = Drawing(
        "A model learns from one part of a text and is judged on another",
        f"Nine tenths of a text are learned from, one is held out. The model reads {LAST!r} and "
        f"gives the next characters probabilities. {COMES!r} comes, and costs {loss:.2f} nats.",
    )
    y = 46
    learn = drawing.box(
        MARGIN + 285, y, 570, text="learn from this, for 60 seconds", fill=tint(LINE, 0.15)
    )
    held = drawing.box(WIDTH - MARGIN - 50, y, 100, text="held out", dashed=True, size=SMALL)

    y = 190
    model = drawing.box(150, y, 170, 64, "your model", thick=3)
    drawing.arrow((150, learn.bottom), model.at_top)
    drawing.text(MARGIN, y + 70, f"has read  ... the new {LAST}", size=SMALL, anchor="start")

    base = y + 40
    middles = {}
    for i, (character, share) in enumerate(p.items()):
        x = 330 + 64 * i
        middles[character] = x
        drawing.bar(x, base, UNIT * share, V_COLOR)
        drawing.text(x, base - UNIT * share - 14, number(share, 2), size=SMALL)
        drawing.text(x, base + 18, character, code=True)
    drawing.line((300, base), (490, base), thick=1.5)
    drawing.arrow(model.at_right, (296, y))
    drawing.text(395, base + 46, "predicts", size=SMALL)

    seen = drawing.word(held.x - 60, y - 52, COMES, V_COLOR)
    drawing.text(seen.x, seen.top - 16, "then sees", size=SMALL)
    drawing.arrow((held.x, held.bottom), (held.x, seen.y), seen.at_right)
    drawing.text(
        seen.x, y + 22, ["costs ", f"\u2212ln {number(p[COMES], 2)}"], color=INK, size=SMALL
    )
    drawing.text(seen.x, y + 48, f"= {number(loss, 2)} nats", bold=True)
    drawing.arrow(seen.at_bottom, (seen.x, y + 8))
    return drawing
