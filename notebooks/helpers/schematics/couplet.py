"""A couplet: a first line, the answer of the reference and that of a model, all parallel."""

from .frame import FAINT, INK, LINE, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, columns

KINDS = ("color", "nature", "motion", "side", "place")
LINES = {
    "first line": ("green", "flowers", "fly", "east", "city"),
    "reference": ("purple", "rain", "come", "south", "river"),
    "a model": ("white", "moon", "rise", "west", "tower"),
}


def couplet() -> Drawing:
    """Draw the three lines below each other, with the kind of each place."""
    drawing = Drawing(
        "A couplet, and another answer",
        "Below each word of a first line is a word of the same kind in the reference, and one in "
        "the answer of a model. Both answers are parallel, and have no word in common.",
    )
    left = 140
    xs = columns(len(KINDS), left, WIDTH - MARGIN)
    for x, kind in zip(xs, KINDS, strict=True):
        drawing.text(x, 34, kind, size=SMALL, color=VECTOR_COLOR)

    y = 78.0
    above = []
    for name, words in LINES.items():
        drawing.text(MARGIN, y, name, anchor="start", size=SMALL)
        edge = FAINT if name == "first line" else INK
        boxes = []
        for x, word in zip(xs, words, strict=True):
            boxes.append(drawing.box(x, y, 96, text=word, edge=edge))
        for upper, lower in zip(above, boxes, strict=False):
            drawing.line(upper.at_bottom, lower.at_top, color=LINE, thick=1.5)
        above = boxes
        y += 62

    n_same = sum(a == b for a, b in zip(LINES["reference"], LINES["a model"], strict=True))
    says = f"both are parallel; {n_same} of {len(KINDS)} as in the reference"
    drawing.text(WIDTH - MARGIN, y - 10, says, size=SMALL, anchor="end")
    return drawing
