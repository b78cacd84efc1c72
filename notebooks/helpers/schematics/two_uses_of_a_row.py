"""A word's row of the table is used twice: after the word has been read, and to score it."""

from .frame import INK, LINE, SMALL, VECTOR_COLOR, Drawing

READ = ["ich", "sehe", "einen"]
WORD = "Hund"


def two_uses_of_a_row() -> Drawing:
    """Draw a word once as what comes next, and once as what has been read."""
    drawing = Drawing(
        "Two uses of a row",
        "Above, the words ich sehe einen have been read, and the row of Hund is scored as next. "
        "Below, Hund has been read too, and its row helps to predict what follows.",
    )
    xs = [90, 200, 320]
    word_x = 520
    for y, title, about in (
        (90, "output: is it next?", "does it fit what was read?"),
        (250, "input: it has been read", "what can a dog do?"),
    ):
        drawing.text(24, y - 56, title, anchor="start", bold=True, size=SMALL)
        boxes = [drawing.word(x, y, word) for x, word in zip(xs, READ, strict=True)]
        if y == 90:
            row = drawing.cells(word_x, y, [1, -2, 1, 2], VECTOR_COLOR, written=False)
            drawing.arrow(boxes[-1].at_right, row.at_left, color=LINE)
            drawing.text(word_x, y - 36, f"row of {WORD}", size=SMALL)
            drawing.text(word_x, y + 40, about, size=SMALL)
        else:
            word = drawing.word(430, y, WORD, INK)
            row = drawing.cells(430, y + 56, [1, -2, 1, 2], VECTOR_COLOR, written=False)
            drawing.arrow(row.at_top, word.at_bottom, color=LINE)
            drawing.text(430, y + 96, f"row of {WORD}", size=SMALL)
            drawing.arrow(word.at_right, (522, y), color=LINE)
            drawing.text(534, y, about, anchor="start", size=SMALL)
    return drawing
