"""Three questions about a head: where it looks, what it takes along, and what is done with it."""

from .frame import (
    FAINT,
    INK,
    K_COLOR,
    LINE,
    Q_COLOR,
    SMALL,
    V_COLOR,
    Drawing,
)
from .sentence import SOURCE

WEIGHTS = {"the": 0.05, "radio": 0.92, "every": 0.03}  # of head 2 for "das", about


def looking() -> Drawing:
    """Draw a head between the words that it looks at and the word that is written."""
    drawing = Drawing(
        "What a map of attention shows, and what not",
        "The lines from three words to a head are its weights: the map. Green values travel along "
        "them, then the output matrix and the layers above decide what the word becomes. The map "
        "shows only the first of the three.",
    )
    words_y = 60
    head_y = 200
    out_y = 330
    head_x = 250
    words = [word for word in SOURCE if word in WEIGHTS]
    xs = [110, 250, 390]
    head = drawing.box(head_x, head_y, 150, 46, "head 2", edge=Q_COLOR, thick=3)
    for x, word in zip(xs, words, strict=True):
        box = drawing.word(x, words_y, word, K_COLOR)
        color = LINE if WEIGHTS[word] > 0.5 else FAINT
        drawing.line(box.at_bottom, head.at_top, color=color, thick=1 + 7 * WEIGHTS[word])
    mixed = drawing.box(head_x, 268, 92, 30, "", edge=V_COLOR, thick=3)
    drawing.line(head.at_bottom, mixed.at_top, color=V_COLOR, thick=4)
    written = drawing.word(head_x, out_y + 20, "das", INK)
    drawing.arrow(mixed.at_bottom, written.at_top, color=LINE)

    left = 450
    drawing.text(left, 128, "1  where does it look?", anchor="start", size=SMALL, bold=True)
    drawing.text(left, 152, "the weights: this is the map", anchor="start", size=SMALL)
    drawing.text(left, 232, "2  what does it take along?", anchor="start", size=SMALL, bold=True)
    drawing.text(
        left, 256, "the values, times its weights", anchor="start", size=SMALL, color=V_COLOR
    )
    drawing.text(left, 310, "3  is it needed?", anchor="start", size=SMALL, bold=True)
    drawing.text(left, 334, "switch it off and see", anchor="start", size=SMALL)
    return drawing
