"""The Transformer, with the learner's functions in its boxes."""

from collections.abc import Collection

from .frame import (
    LINE,
    PAPER,
    SMALL,
    WIDTH,
    YOURS_COLOR,
    Box,
    Drawing,
    tint,
)

# from the bottom to the top, each box with the function that computes it
ENCODER = [
    ("Embedding", "embed"),
    ("Add positions", "add_positions"),
    ("Self-attention", "multi_head_attention"),
    ("Add & Norm", "post_norm"),
    ("Feed-forward", "feed_forward"),
    ("Add & Norm", "post_norm"),
]
DECODER = [
    ("Embedding", "embed"),
    ("Add positions", "add_positions"),
    ("Masked self-attention", "multi_head_attention"),
    ("Add & Norm", "post_norm"),
    ("Cross-attention", "multi_head_attention"),
    ("Add & Norm", "post_norm"),
    ("Feed-forward", "feed_forward"),
    ("Add & Norm", "post_norm"),
    ("Linear", "generator"),
    ("Softmax", "softmax"),
]
PADDING_MASK = "padding_mask"
CAUSAL_MASK = "causal_mask"
FUNCTIONS = [
    "embed",
    "add_positions",
    "multi_head_attention",
    "post_norm",
    "feed_forward",
    "generator",
    "softmax",
    PADDING_MASK,
    CAUSAL_MASK,
]

COLUMN_WIDTH = 226
HEIGHT = 54
STEP = HEIGHT + 22  # from a box to the next
BOTTOM = 30 + STEP * len(DECODER)  # of the lowest box


def build_it(yours: Collection[str] = ()) -> Drawing:
    """Draw the boxes of the paper's figure 1, and fill those that the learner wrote.

    Arguments:
        yours: names of functions that are the learner's; those of no box are not shown
    """
    written = [name for name in FUNCTIONS if name in yours]
    drawing = Drawing(
        "The Transformer, built of your functions",
        f"The boxes of figure 1, encoder and decoder. {len(written)} of {len(FUNCTIONS)} functions "
        f"are yours: {', '.join(written) or 'none'}.",
    )
    encoder_x = 24 + COLUMN_WIDTH / 2
    decoder_x = WIDTH - encoder_x
    encoder = _draw_stack(drawing, encoder_x, ENCODER, written, "source ids")
    decoder = _draw_stack(drawing, decoder_x, DECODER, written, "target ids so far")
    drawing.arrow(decoder[-1].at_top, (decoder_x, decoder[-1].top - 24))
    drawing.text(decoder_x, decoder[-1].top - 38, "probabilities", size=SMALL)

    _draw_memory(drawing, encoder[-1], decoder[4])
    _draw_masks(drawing, encoder[2], decoder[2], decoder[4], written)
    _draw_tally(drawing, encoder_x, len(written))
    return drawing


def _fill(name: str, written: Collection[str]) -> str:
    """Return the color of a box."""
    if name in written:
        return tint(YOURS_COLOR, 0.75)
    return PAPER


def _draw_stack(
    drawing: Drawing,
    x: float,
    parts: list[tuple[str, str]],
    written: Collection[str],
    ids: str,
) -> list[Box]:
    """Draw the boxes of a stack from the bottom to the top, and what goes in."""
    y = BOTTOM
    drawing.text(x, y + HEIGHT / 2 + 34, ids, size=SMALL)
    boxes: list[Box] = []
    below = (x, y + HEIGHT / 2 + 22)
    for title, name in parts:
        box = drawing.box(x, y, COLUMN_WIDTH, HEIGHT, fill=_fill(name, written))
        drawing.two_lines(box, title, name, code=True)
        drawing.arrow(below, box.at_bottom)
        boxes.append(box)
        below = box.at_top
        y -= STEP
    return boxes


def _draw_memory(drawing: Drawing, last: Box, cross: Box) -> None:
    """Draw the way of the encoder's output to the cross-attention."""
    above = last.top - 24
    before = cross.left - 36
    drawing.arrow(last.at_top, (last.x, above), (before, above), (before, cross.y), cross.at_left)
    drawing.text((last.x + before) / 2, above - 16, "memory", size=SMALL, color=LINE)


def _draw_masks(
    drawing: Drawing, source: Box, target: Box, cross: Box, written: Collection[str]
) -> None:
    """Draw the masks between the stacks, each with arrows to the attention that takes it."""
    middle = (source.right + target.left) / 2
    width = 142
    height = 36
    padding = drawing.box(
        middle - 10, source.y - STEP, width, height, fill=_fill(PADDING_MASK, written)
    )
    causal = drawing.box(middle, source.y + STEP, width, height, fill=_fill(CAUSAL_MASK, written))
    drawing.text(padding.x, padding.y, PADDING_MASK, size=SMALL, code=True)
    drawing.text(causal.x, causal.y, CAUSAL_MASK, size=SMALL, code=True)

    drawing.arrow(
        (source.right + 44, padding.bottom), (source.right + 44, source.y), source.at_right
    )
    low = cross.y + 16
    drawing.arrow((padding.right - 20, padding.top), (padding.right - 20, low), (cross.left, low))
    drawing.arrow((causal.right - 20, causal.top), (causal.right - 20, target.y), target.at_left)


def _draw_tally(drawing: Drawing, x: float, n_written: int) -> None:
    """Say how many functions are the learner's."""
    y = BOTTOM - STEP * (len(DECODER) - 1)
    drawing.box(x - 92, y, 30, 24, fill=tint(YOURS_COLOR, 0.75))
    drawing.text(x - 66, y, f"yours: {n_written} of {len(FUNCTIONS)}", anchor="start")
