"""More merges: a shorter text, and a longer table with rows that the text does not use."""

from __future__ import annotations

from collections import Counter

from .byte_pairs import COUNTS, merged_states
from .frame import INK, LINE, MARGIN, PAPER, SMALL, WIDTH, Drawing, tint

SHOWN = (0, 3, 7)  # merges
LETTER = 12.5  # width of a letter in a box
TOP = 40
STEP = 106
LABEL = 104  # where bars and tables begin
UNUSED = "#D55E00"


def vocabulary_size() -> Drawing:
    """Draw the length of a text and the table of its tokens after 0, 3 and 7 merges."""
    drawing = Drawing(
        "Each merge makes the text shorter and the table longer",
        "After 0, 3 and 7 merges: a bar as long as the text of four words, and the tokens of the "
        "table. Tokens that the text no longer uses are orange; their rows are not trained.",
    )
    states, pairs = merged_states()
    letters = sorted(set("".join(COUNTS)))
    n_letters = 0
    for row, n in enumerate(SHOWN):
        y = TOP + STEP * row
        used: Counter[str] = Counter()
        for word, tokens in states[n].items():
            for token in tokens:
                used[token] += COUNTS[word]
        n_tokens = used.total()
        n_letters = n_letters or n_tokens

        drawing.text(MARGIN, y, f"{n} merges", size=SMALL, anchor="start", bold=True)
        drawing.text(MARGIN, y + 42, "table", size=SMALL, anchor="start", color=LINE)
        width = (WIDTH - MARGIN - LABEL - 180) * n_tokens / n_letters
        drawing.box(LABEL + 26 + width / 2, y, width, 26, fill=tint(INK, 0.3), edge=LINE)
        text = f"{n_tokens} tokens of text"
        drawing.text(LABEL + 38 + width, y, text, size=SMALL, anchor="start")

        x: float = LABEL - 24
        for token in [*letters, *(first + second for (first, second), _ in pairs[:n])]:
            width = LETTER * len(token) + 8
            color = INK if used[token] else UNUSED
            fill = PAPER if used[token] else tint(UNUSED, 0.15)
            drawing.box(
                x + width / 2,
                y + 42,
                width,
                30,
                token,
                fill=fill,
                edge=color,
                size=SMALL,
                color=color,
            )
            x += width + 4
    note = "orange: the text no longer uses it, so its row is not trained"
    drawing.text(MARGIN, TOP + STEP * len(SHOWN), note, size=SMALL, anchor="start", color=UNUSED)
    return drawing
