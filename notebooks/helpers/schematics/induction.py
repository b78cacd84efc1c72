"""Two heads in a row that look up what came next the last time."""

from .frame import (
    FAINT,
    INK,
    K_COLOR,
    LINE,
    MARGIN,
    Q_COLOR,
    SMALL,
    V_COLOR,
    WIDTH,
    Drawing,
    columns,
    tint,
)

READ = ["turn", "off", "the", "radio", "turn", "off"]
WORDS_Y = 430
STATES_Y = 310
ASKS_Y = 150
ANSWER_Y = 48


def induction() -> Drawing:
    """Draw a head that notes what came before, and one that finds such a note."""
    drawing = Drawing(
        "An induction head",
        "A head of layer 0 writes into each position which word came before it. The last position "
        "reads off. A head of layer 1 looks for a position that came after off, finds the, and "
        "brings it along as the next word.",
    )
    last = len(READ) - 1
    previous = max(t for t in range(last) if READ[t] == READ[last])
    found = previous + 1
    xs = columns(len(READ), MARGIN, WIDTH - MARGIN)

    words = [drawing.word(x, WORDS_Y, word, size=SMALL) for x, word in zip(xs, READ, strict=True)]
    states = []
    for t, word in enumerate(READ):
        is_found = t == found
        state = drawing.box(
            xs[t],
            STATES_Y,
            108,
            58,
            fill=tint(K_COLOR, 0.15) if is_found else "#FFFFFF",
            edge=K_COLOR if is_found else FAINT,
            thick=3 if is_found else 1.5,
        )
        note = f"after {READ[t - 1]}" if t > 0 else "first"
        drawing.two_lines(state, word, note, color=K_COLOR if is_found else LINE)
        states.append(state)

    # layer 0: the word before, into each position
    for t in range(1, len(READ)):
        is_found = t == found
        drawing.arrow(
            (words[t - 1].x, words[t - 1].top),
            (states[t].x - 22, states[t].bottom),
            color=INK if is_found else FAINT,
            thick=3 if is_found else 2,
        )
    drawing.text(
        MARGIN,
        WORDS_Y + 42,
        "layer 0: each position looks at the word before it",
        anchor="start",
        size=SMALL,
        color=LINE,
    )

    # layer 1: the last position asks, and gets the word that it finds
    asks = drawing.box(
        xs[last] - 20,
        ASKS_Y,
        150,
        text=f"after {READ[last]}?",
        edge=Q_COLOR,
        thick=3,
        color=Q_COLOR,
        size=SMALL,
    )
    drawing.arrow(states[last].at_top, (states[last].x, asks.bottom), color=Q_COLOR)
    drawing.arrow(
        asks.at_left,
        (states[found].x + 26, ASKS_Y),
        (states[found].x + 26, states[found].top),
        color=K_COLOR,
        thick=3,
    )
    answer = drawing.word(xs[last], ANSWER_Y, READ[found], V_COLOR)
    drawing.arrow(
        (states[found].x - 26, states[found].top),
        (states[found].x - 26, ANSWER_Y),
        answer.at_left,
        color=V_COLOR,
        thick=3,
    )
    drawing.text(
        MARGIN, ASKS_Y - 14, "layer 1: a head looks for a", anchor="start", size=SMALL, color=LINE
    )
    drawing.text(
        MARGIN, ASKS_Y + 10, "position that fits, and", anchor="start", size=SMALL, color=LINE
    )
    drawing.text(
        MARGIN, ASKS_Y + 34, "brings its word along", anchor="start", size=SMALL, color=LINE
    )
    return drawing
