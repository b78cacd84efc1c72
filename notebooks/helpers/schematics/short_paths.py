"""The way from one word to another through three kinds of layers."""

from .frame import FAINT, GRADIENT_COLOR, INK, MARGIN, SMALL, VECTOR_COLOR, WIDTH, Drawing, columns
from .sentence import TARGET

WORDS = TARGET[:-1]
FIRST = WORDS.index("schalte")
LAST = WORDS.index("aus")
KERNEL = 3  # words that a convolution sees
LAYER = 26  # pixels from layer to layer
WAY_COLOR = GRADIENT_COLOR  # as a gradient goes


def short_paths() -> Drawing:
    """Draw how far it is from the first half of a verb to the second."""
    distance = LAST - FIRST
    reach = KERNEL // 2
    layers = -(-distance // reach)
    drawing = Drawing(
        "Three ways from schalte to aus",
        f"A recurrence passes {distance} states, one after another. Convolutions of width "
        f"{KERNEL} need {layers} layers. Self-attention needs one.",
    )
    xs = columns(len(WORDS), MARGIN, WIDTH - MARGIN)

    y = 96
    _title(drawing, 40, "recurrence", f"1 layer, {distance} steps that wait for each other")
    for place, x in enumerate(xs):
        on_way = FIRST <= place
        if place > 0:
            color = WAY_COLOR if place > FIRST else FAINT
            drawing.arrow((xs[place - 1] + 9, y), (x - 9, y), color=color, thick=3)
        drawing.dot(x, y, WAY_COLOR if on_way else VECTOR_COLOR)
    _words(drawing, xs, y + 36)

    top = 222
    y = top + layers * LAYER
    _title(drawing, top - 38, f"convolution, k = {KERNEL}", f"{layers} layers")
    for layer in range(layers + 1):
        for x in xs:
            drawing.dot(x, y - layer * LAYER, FAINT, radius=5)
    for layer in range(layers):
        start = (xs[FIRST + layer * reach], y - layer * LAYER)
        end = (xs[FIRST + (layer + 1) * reach], y - (layer + 1) * LAYER)
        drawing.line(start, end, color=WAY_COLOR, thick=3)
    for layer in range(layers + 1):
        drawing.dot(xs[FIRST + layer * reach], y - layer * LAYER, WAY_COLOR)
    _words(drawing, xs, y + 36)

    top = y + 132
    y = top + 70
    _title(drawing, top - 46, "self-attention", "1 layer, whatever the distance")
    for x in xs:
        drawing.line((x, y), (xs[LAST], top), color=FAINT, thick=1.5)
    drawing.line((xs[FIRST], y), (xs[LAST], top), color=WAY_COLOR, thick=3)
    for place, x in enumerate(xs):
        drawing.dot(x, y, WAY_COLOR if place == FIRST else VECTOR_COLOR)
    drawing.dot(xs[LAST], top, WAY_COLOR)
    _words(drawing, xs, y + 36)
    return drawing


def _title(drawing: Drawing, y: float, name: str, cost: str) -> None:
    drawing.text(MARGIN, y, name, bold=True, anchor="start")
    drawing.text(WIDTH - MARGIN, y, cost, size=SMALL, anchor="end")


def _words(drawing: Drawing, xs: list[float], y: float) -> None:
    for place, (x, word) in enumerate(zip(xs, WORDS, strict=True)):
        drawing.text(x, y, word, size=SMALL, color=WAY_COLOR if place in (FIRST, LAST) else INK)
