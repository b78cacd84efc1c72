"""What each of four encoders sees from a word, in one sublayer."""

from .frame import FAINT, INK, LINE, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, columns

WORDS = ["Der", "Mann", "sieht", "den", "alte", "Mantel", "."]
PLACE = WORDS.index("alte")
NEAR = range(PLACE - 1, PLACE + 2)
LEFT = 250  # where the words begin
SEEN = {  # by its name in `classifying.ENCODERS`: the places that it sees at once, and how
    "self-attention": (range(len(WORDS)), "all, by weights"),
    "LSTM": (range(len(WORDS)), "all, step by step"),
    "convolution": (NEAR, "three, a matrix each"),
    "neighbors only": (NEAR, "three, by weights"),
}
STEP = 104  # from encoder to encoder


def four_encoders() -> Drawing:
    """Draw which words reach the vector of one word at once."""
    drawing = Drawing(
        "What four encoders see from the word alte",
        "In self-attention all words reach it. In an LSTM too, but step by step from both sides. "
        "In one convolution of width 3 and in self-attention that sees only its neighbors, three.",
    )
    xs = columns(len(WORDS), LEFT, WIDTH - MARGIN)
    top = 50
    for name, (seen, how) in SEEN.items():
        y = top + 52
        drawing.text(MARGIN, top + 10, name, bold=True, anchor="start")
        drawing.text(MARGIN, top + 40, how, size=SMALL, anchor="start", color=LINE)
        if name == "LSTM":
            for place in range(1, len(WORDS)):
                ends = [(xs[place - 1] + 9, y), (xs[place] - 9, y)]
                if place > PLACE:
                    ends.reverse()
                drawing.arrow(*ends)
            drawing.line((xs[PLACE], y), (xs[PLACE], top))
        else:
            for place in seen:
                drawing.line((xs[place], y), (xs[PLACE], top))
        for place, x in enumerate(xs):
            drawing.dot(x, y, VECTOR_COLOR if place in seen else FAINT)
        drawing.dot(xs[PLACE], top, INK)
        top += STEP
    for place, (x, word) in enumerate(zip(xs, WORDS, strict=True)):
        drawing.text(x, top - 20, word, size=16, bold=place == PLACE)
    return drawing
