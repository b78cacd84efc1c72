"""Byte-pair encoding: the most frequent pair of neighbors is joined, again and again."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from .frame import FAINT, INK, LINE, MARGIN, PAPER, SMALL, YOURS_COLOR, Drawing, tint

COUNTS = {"turn": 8, "turns": 3, "radio": 3, "radios": 1}  # as in the phrasebook, a hundredth
N_MERGES = 7
SHOWN = (0, 1, 2, 3, 7)  # after how many merges the words are drawn
LETTER = 21  # width of a letter in a box
GAP = 22  # between words
PAIRS = 596  # where the next pair is written
FIRST = 100  # where the first word begins
TOP = 92
STEP = 66


def byte_pairs() -> Drawing:
    """Draw four words after 0, 1, 2, 3 and 7 merges."""
    drawing = Drawing(
        "Byte-pair encoding: join the most frequent pair",
        "Four words, cut into letters. The pair of neighbors that occurs most often is joined in "
        "all of them, and pairs are counted again. Frequent words become one token, and rarer "
        "ones a frequent part and a rest.",
    )
    states, pairs = merged_states()
    drawing.text(MARGIN, TOP - 50, "merges", size=SMALL, color=LINE, anchor="start")
    drawing.text(PAIRS, TOP - 50, "most often", size=SMALL, color=LINE, anchor="start")
    x = FIRST
    for word, count in COUNTS.items():
        middle = x + LETTER * len(word) / 2
        drawing.text(
            middle, TOP - 50, f"{count} times" if count > 1 else "once", size=SMALL, color=LINE
        )
        x += LETTER * len(word) + GAP + extra(word)

    for row, n in enumerate(SHOWN):
        y = TOP + STEP * row
        drawing.text(MARGIN + 14, y, str(n), bold=True, anchor="start")
        _draw_words(drawing, y, states[n], pairs[n] if n + 1 in SHOWN else None)
        if n + 1 in SHOWN:
            (first, second), count = pairs[n]
            text = f"{first} {second}: {count}"
            drawing.text(PAIRS, y, text, size=SMALL, anchor="start")
    return drawing


def extra(word: str) -> int:
    """Return the room behind a word, for the count above a short one."""
    return max(0, 74 - LETTER * len(word))


def merged_states() -> tuple[list[dict[str, list[str]]], list[tuple[tuple[str, str], int]]]:
    """Return the tokens of the words after each merge, and the pair that is joined next."""
    states = [{word: list(word) for word in COUNTS}]
    pairs = []
    for _ in range(N_MERGES):
        counts: Counter[tuple[str, str]] = Counter()
        for word, tokens in states[-1].items():
            for pair in pairwise(tokens):
                counts[pair] += COUNTS[word]
        most = max(counts.values())
        best = min(pair for pair in counts if counts[pair] == most)
        pairs.append((best, most))
        states.append({word: _joined(tokens, best) for word, tokens in states[-1].items()})
    return states, pairs


def _joined(tokens: list[str], pair: tuple[str, str]) -> list[str]:
    joined: list[str] = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def _draw_words(
    drawing: Drawing,
    y: float,
    words: dict[str, list[str]],
    next_pair: tuple[tuple[str, str], int] | None,
) -> None:
    """Draw the tokens of the words as boxes; those that are joined next are yellow."""
    x = FIRST
    for word, tokens in words.items():
        joined_next = set()
        for i, pair in enumerate(pairwise(tokens)):
            if next_pair and pair == next_pair[0]:
                joined_next |= {i, i + 1}
        for i, token in enumerate(tokens):
            width = LETTER * len(token)
            fill = tint(INK, 0.14) if len(token) > 1 else PAPER
            if i in joined_next:
                fill = tint(YOURS_COLOR, 0.8)
            edge = LINE if len(token) > 1 or i in joined_next else FAINT
            drawing.box(x + width / 2, y, width - 3, 36, token, fill=fill, edge=edge)
            x += width
        x += GAP + extra(word)
