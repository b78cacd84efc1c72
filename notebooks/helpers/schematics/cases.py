"""How a training is debugged: clue, suspects, tests, culprit."""

from .frame import GRADIENT_COLOR, INK, LINE, MARGIN, SMALL, WIDTH, Drawing, columns, tint

SUSPECTS = ["data", "model", "loss", "update"]
TESTS = ["print pairs", "gradcheck", "starts at ln V?", "try ten rates"]
CULPRIT = 1  # of this example


def cases() -> Drawing:
    """Draw a case from its clue to its culprit."""
    drawing = Drawing(
        "A case: clue, suspects, tests, culprit",
        "The clue is that the loss stops falling. Suspects are data, model, loss and update. A "
        "test for each takes seconds. Three pass, the one of the model fails: the bug is there.",
    )
    clue_y = 52
    suspect_y = 156
    test_y = 250
    result_y = 344
    label_width = 110
    left = MARGIN + label_width
    middles = columns(len(SUSPECTS), left, WIDTH - MARGIN)
    for y, label in (
        (clue_y, "clue"),
        (suspect_y, "suspects"),
        (test_y, "tests"),
        (result_y, "culprit"),
    ):
        drawing.text(MARGIN, y, label, anchor="start", bold=True)

    clue = drawing.box((left + WIDTH - MARGIN) / 2, clue_y, 330, 44, "the loss stops falling")
    for j, x in enumerate(middles):
        is_culprit = j == CULPRIT
        color = GRADIENT_COLOR if is_culprit else LINE
        suspect = drawing.box(x, suspect_y, 116, text=SUSPECTS[j])
        start = clue.x + (x - clue.x) / 2
        drawing.arrow((start, clue.bottom), suspect.at_top)
        test = drawing.box(x, test_y, 130, text=TESTS[j], size=16)
        drawing.arrow(suspect.at_bottom, test.at_top)
        if is_culprit:
            fill = tint(GRADIENT_COLOR, 0.2)
            end = drawing.box(x, result_y, 116, text=SUSPECTS[j], fill=fill, edge=color, thick=3)
            drawing.arrow(test.at_bottom, end.at_top, color=color, thick=3)
            drawing.text(x + 14, (test.bottom + end.top) / 2, "fails", size=SMALL, anchor="start")
        else:
            drawing.text(x, test.bottom + 20, "passes", size=SMALL, color=color)
    drawing.text(
        WIDTH - MARGIN, result_y, "each test takes seconds", size=SMALL, color=INK, anchor="end"
    )
    return drawing
