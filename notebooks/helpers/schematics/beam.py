"""Beam search on a tree of words: what stays open, what is finished and what drops out."""

from __future__ import annotations

from ..phrase_tree import (
    END,
    GUTEN_TAG,
    Hypothesis,
    PhraseTree,
    Words,
    continuations,
    finished_and_open,
)
from .frame import FAINT, INK, LINE, MARGIN, SMALL, Box, Drawing, tint

BEAM = 2
THICKEST = 20  # of the line of a certain hypothesis
STEP_WIDTH = 206
FIRST = 218  # the middle of the first column
TOP = 74
HEIGHTS = {
    0: (130, 222, 314),
    1: (92, 166, 240, 314, 388),
    2: (92, 166),
}  # of the candidates of a step


def beam() -> Drawing:
    """Draw three steps of a search with two open hypotheses."""
    drawing = Drawing(
        "Beam search: the two best hypotheses stay open",
        "At each step every open hypothesis is continued by every word. The two most probable "
        "continuations stay; a line is as wide as its hypothesis is probable. What ends in <eos> "
        "is finished. Here the search stops because nothing is open. The most probable sentence "
        "dropped out at step 0.",
    )
    tree = PhraseTree("guten Tag", GUTEN_TAG)
    root = drawing.word(74, HEIGHTS[0][1], tree.phrase)
    places: dict[Words, Box] = {(): root}
    open_ones: list[Hypothesis] = [((), 1.0)]
    best: Hypothesis = ((), 0.0)
    step = 0
    while open_ones and open_ones[0][1] > best[1]:
        longer = continuations(tree, open_ones)
        finished, open_ones = finished_and_open(longer, BEAM)
        stay = dict(finished + open_ones)
        x = FIRST + STEP_WIDTH * step
        drawing.text(x, TOP - 38, f"step {step}", bold=True)
        for (words, p), y in zip(longer, HEIGHTS[step], strict=True):
            places[words] = _draw_candidate(
                drawing, places[words[:-1]], (x, y), words[-1], p, words in stay
            )
        best = max([best, *finished], key=lambda one: one[1])
        step += 1

    _draw_end(drawing, best)
    return drawing


def _draw_candidate(
    drawing: Drawing, parent: Box, middle: tuple[float, float], word: str, p: float, stays: bool
) -> Box:
    """Draw a word behind its hypothesis, with the probability of all its words."""
    x, y = middle
    color = LINE if stays else FAINT
    ends = word == END
    box = Box(x - 45, y - 19, 90, 38)
    drawing.line(
        parent.at_right,
        box.at_left,
        color=tint(color, 0.75),
        thick=THICKEST * p,
        dashed=not stays,
    )
    drawing.box(
        x,
        y,
        box.width,
        box.height,
        word,
        fill=tint(INK, 0.12) if ends else "#FFFFFF",
        edge=INK if ends else color,
        thick=3 if ends else 2,
        color=INK if stays else LINE,
        dashed=not stays,
    )
    label = f"{p:.3g}"
    if ends:
        label += ", finished"
    elif not stays:
        label += ", out"
    drawing.text(x, y + 33, label, size=SMALL, color=INK if stays else LINE, bold=ends)
    return box


def _draw_end(drawing: Drawing, best: Hypothesis) -> None:
    """Say why the search is over, and what it has missed."""
    words, _ = best
    left = FIRST + 2 * STEP_WIDTH - 116
    notes = (
        f"K = {BEAM}: two stay open.",
        "Then nothing is open:",
        f"it is “{' '.join(words[:-1])}”.",
    )
    for place, note in enumerate(notes):
        drawing.text(left, 268 + 28 * place, note, size=SMALL, anchor="start")
    drawing.text(MARGIN, TOP - 38, "width: probability", size=16, color=LINE, anchor="start")
