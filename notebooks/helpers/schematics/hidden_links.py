"""What the third character of an answer can look at, with one of the links hidden."""

from .frame import FAINT, INK, LINE, MARGIN, SMALL, TIMES, WIDTH, Drawing, columns

FIRST_LINE = ("one", "cranes", "one", "water", "fall")
READ = ("<bos>", "three", "swallows")
PLACE = 2  # what is written next, counted from 0
HIDDEN = 1  # which of what was read it cannot see


def hidden_links() -> Drawing:
    """Draw the first line above, what was written below, and links to the next character."""
    drawing = Drawing(
        "Hide one thing, and see which rule breaks",
        "The third character of an answer looks at the third of the first line, by "
        "cross-attention, and at what the decoder has read so far, by self-attention. One of "
        "these links is crossed out.",
    )
    left = 120
    xs = columns(len(FIRST_LINE), left, WIDTH - MARGIN)
    above_y = 44
    next_y = 140
    below_y = 246
    drawing.text(MARGIN, above_y, "first line", anchor="start", size=SMALL)
    drawing.text(MARGIN, next_y, "writes", anchor="start", size=SMALL)
    drawing.text(MARGIN, below_y, "has read", anchor="start", size=SMALL)

    above = []
    for x, word in zip(xs, FIRST_LINE, strict=True):
        above.append(drawing.box(x, above_y, 100, text=word, edge=FAINT))
    unknown = drawing.box(xs[PLACE], next_y, 100, text="?", edge=INK, thick=3)
    below = []
    for x, word in zip(xs[: len(READ)], READ, strict=True):
        below.append(drawing.box(x, below_y, 106, text=word, edge=FAINT))

    drawing.arrow(above[PLACE].at_bottom, unknown.at_top, color=LINE)
    drawing.text(unknown.x + 14, 92, "cross-attention", size=SMALL, anchor="start")
    for i, box in enumerate(below):
        drawing.arrow(box.at_top, (unknown.x + 22 * (i - PLACE), unknown.bottom), color=LINE)
        if i == HIDDEN:
            x = (box.x + unknown.x + 22 * (i - PLACE)) / 2
            drawing.sign(x, (box.top + unknown.bottom) / 2, TIMES, radius=13)
    drawing.text(unknown.x + 14, 206, "self-attention", size=SMALL, anchor="start")
    drawing.text(WIDTH - MARGIN, below_y, f"{TIMES}: hidden", size=SMALL, anchor="end")
    return drawing
