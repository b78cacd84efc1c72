"""The same sentence twice, with one other word: where a model can know of it."""

from .frame import FAINT, INK, LINE, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, columns, tint

WORDS = ["the", "small", "dog", "has", "seen"]
OTHER = ["the", "small", "cat", "has", "seen"]
BOXES = ["0 ffn", "0 self"]  # above the embedding, from the top


def two_runs() -> Drawing:
    """Draw two runs and a grid of what differs between them: known for the embedding."""
    drawing = Drawing(
        "Follow a sentence twice",
        "Two sentences that differ in one word go through the model. In the embeddings the vectors "
        "of all other words are equal. Which of them differ in the boxes above is the question.",
    )
    xs = columns(len(WORDS), 150, WIDTH - MARGIN)
    step = xs[1] - xs[0]
    y = 44
    drawing.text(MARGIN, y, "which vectors differ?", anchor="start", bold=True)
    for name in BOXES:
        y += 50
        drawing.text(MARGIN, y, name, size=SMALL, anchor="start")
        for x in xs:
            drawing.box(x, y, step - 12, 36, "?", edge=FAINT, color=LINE)
    y += 50
    drawing.text(MARGIN, y, "embedding", size=SMALL, anchor="start")
    for x, word, other in zip(xs, WORDS, OTHER, strict=True):
        differs = word != other
        fill = tint(VECTOR_COLOR, 0.45 if differs else 0.06)
        drawing.box(x, y, step - 12, 36, "≠" if differs else "=", fill=fill, edge=VECTOR_COLOR)
    grid = y + 18
    for n, words in enumerate((WORDS, OTHER)):
        y += 62 if n == 0 else 50
        drawing.text(MARGIN, y, f"run {n}", size=SMALL, anchor="start")
        for x, word, other in zip(xs, words, OTHER if n == 0 else WORDS, strict=True):
            box = drawing.word(x, y, word, INK if word != other else FAINT)
            if n == 0:
                drawing.arrow(box.at_top, (x, grid))
    return drawing
