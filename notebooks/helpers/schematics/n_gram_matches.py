"""A translation below its reference, and how many of its sequences match."""

from collections.abc import Collection, Sequence

from .frame import (
    FAINT,
    INK,
    LINE,
    MARGIN,
    SMALL,
    VECTOR_COLOR,
    WIDTH,
    Box,
    Drawing,
    columns,
    text_width,
    tint,
)

REFERENCE = "Ich schalte jeden Tag das neue Radio aus .".split()
TRANSLATION = "Ich schalte jeden jeden jeden jeden Tag das neue Radio aus .".split()


def partners_of(translation: Sequence[str], reference: Sequence[str], n: int) -> dict[int, int]:
    """Return which sequence of n words of the reference each of the translation matches.

    Both are numbered by their first words. A sequence of the reference matches once.

    >>> partners_of(["a", "b", "b"], ["b", "a"], 1)
    {0: 1, 1: 0}
    """
    free = {}
    for start in range(len(reference) - n + 1):
        free[start] = list(reference[start : start + n])
    partners = {}
    for start in range(len(translation) - n + 1):
        wanted = list(translation[start : start + n])
        for place, sequence in free.items():
            if sequence == wanted:
                partners[start] = place
                del free[place]
                break
    return partners


def draw_words(
    drawing: Drawing, words: Sequence[str], y: float, matched: Collection[int]
) -> list[Box]:
    """Draw words in boxes that are narrow enough for twelve, those that match darker."""
    widths = [text_width(word, SMALL) + 8 for word in words]
    gap = (WIDTH - 2 * MARGIN - sum(widths)) / (len(words) - 1)
    left: float = MARGIN
    boxes = []
    for i, (word, width) in enumerate(zip(words, widths, strict=True)):
        color = VECTOR_COLOR if i in matched else FAINT
        x = left + width / 2
        box = drawing.box(
            x, y, width, SMALL + 18, word, fill=tint(color, 0.12), edge=color, size=SMALL
        )
        boxes.append(box)
        left += width + gap
    return boxes


def n_gram_matches() -> Drawing:
    """Draw the words that match, and the matches of sequences of one to four words."""
    drawing = Drawing(
        "A translation and its reference",
        "Twelve words that a damaged translator wrote, below the nine of the reference. Lines join "
        "the words that match. The word jeden is there four times and matches once. Below: how "
        "many sequences of one to four words match.",
    )
    drawing.text(MARGIN, 30, "reference, by a person", size=SMALL, anchor="start")
    words = drawing.sentence(REFERENCE, 66, size=SMALL)
    drawing.text(MARGIN, 198, "translation, by a program", size=SMALL, anchor="start")
    partners = partners_of(TRANSLATION, REFERENCE, 1)
    written = draw_words(drawing, TRANSLATION, 164, matched=partners)
    for place, partner in partners.items():
        drawing.line(words[partner].at_bottom, written[place].at_top, color=LINE)

    left = 120
    right = WIDTH - MARGIN
    top = 250
    height = 40
    widest = len(TRANSLATION)
    for n in range(1, 5):
        y = top + (n - 1) * height
        total = len(TRANSLATION) - n + 1
        found = partners_of(TRANSLATION, REFERENCE, n)
        drawing.text(MARGIN, y, f"n = {n}", size=SMALL, anchor="start")
        middles = columns(widest, left, right - 130)
        for start in range(total):
            fill = tint(VECTOR_COLOR, 0.5) if start in found else FAINT
            x = middles[start]
            drawing.box(x, y, 28, 22, fill=fill, edge=VECTOR_COLOR if start in found else FAINT)
        drawing.text(right, y, f"{len(found)} of {total}", size=SMALL, color=INK, anchor="end")
    return drawing
