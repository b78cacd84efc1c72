"""The Transformer, with the learner's functions in its boxes."""

from collections.abc import Collection

from .frame import (
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
    ("Self-attention", "multi_head"),
    ("Add & Norm", "layer_norm"),
    ("Feed-forward", "feed_forward"),
    ("Add & Norm", "layer_norm"),
    ("Memory", "encode"),
]
DECODER = [
    ("Embedding", "embed"),
    ("Add positions", "add_positions"),
    ("Masked self-attention", "multi_head"),
    ("Add & Norm", "layer_norm"),
    ("Cross-attention", "multi_head"),
    ("Add & Norm", "layer_norm"),
    ("Feed-forward", "feed_forward"),
    ("Add & Norm", "layer_norm"),
    ("Linear", "logits"),
    ("Softmax", "softmax"),
]
PADDING_MASK = "padding_mask"
TARGET_MASK = "target_mask"
ENCODER_LAYER = "encoder_layer"
DECODER_LAYER = "decoder_layer"
FUNCTIONS = [
    "embed",
    "add_positions",
    PADDING_MASK,
    TARGET_MASK,
    "multi_head",
    "layer_norm",
    "feed_forward",
    ENCODER_LAYER,
    DECODER_LAYER,
    "encode",
    "logits",
    "softmax",
]

COLUMN_WIDTH = 216
RESIDUAL_WIDTH = 15  # next to the boxes, for the residual arrows
HEIGHT = 54
STEP = HEIGHT + 22  # from a box to the next
BOTTOM = 30 + STEP * len(DECODER)  # of the lowest box
N_LAYERS = 2  # of the shipped translator, in each stack


def build_it(yours: Collection[str] = (), source: str = "", translation: str = "") -> Drawing:
    """Draw the boxes of the paper's figure 1, and fill those that the learner wrote.

    Arguments:
        yours: names of functions that are the learner's; those of no box are not shown
        source: a sentence, written next to the boxes
        translation: what the model makes of it
    """
    written = [name for name in FUNCTIONS if name in yours]
    drawing = Drawing(
        "The Transformer, built of your functions",
        f"The boxes of figure 1, encoder and decoder. {len(written)} of {len(FUNCTIONS)} functions "
        f"are yours: {', '.join(written) or 'none'}.",
    )
    encoder_x = 20 + RESIDUAL_WIDTH + COLUMN_WIDTH / 2
    decoder_x = WIDTH - encoder_x
    _draw_layer(drawing, encoder_x, ENCODER, ENCODER_LAYER, written)
    _draw_layer(drawing, decoder_x, DECODER, DECODER_LAYER, written)
    encoder = _draw_stack(drawing, encoder_x, ENCODER, written, "source ids")
    decoder = _draw_stack(drawing, decoder_x, DECODER, written, "target ids so far")
    _draw_residuals(drawing, encoder[2:-1], outside=-1)
    _draw_residuals(drawing, decoder[2:-2], outside=1)
    drawing.arrow(decoder[-1].at_top, (decoder_x, decoder[-1].top - 24))
    drawing.text(decoder_x, decoder[-1].top - 38, "probabilities", size=SMALL)

    _draw_memory(drawing, encoder[-1], decoder[4])
    _draw_masks(drawing, encoder[2], decoder[2], decoder[4], written)
    _draw_tally(drawing, encoder_x, len(written))
    _draw_sentences(drawing, source, translation)
    return drawing


def _fill(name: str, written: Collection[str]) -> str:
    """Return the color of a box."""
    if name in written:
        return tint(YOURS_COLOR, 0.75)
    return PAPER


def _draw_layer(
    drawing: Drawing,
    x: float,
    parts: list[tuple[str, str]],
    name: str,
    written: Collection[str],
) -> None:
    """Draw the frame around the boxes of a layer, and its name on the side of the other stack."""
    n_boxes = sum(function in ("multi_head", "layer_norm", "feed_forward") for _, function in parts)
    bottom = BOTTOM - STEP * 2 + HEIGHT / 2 + 18  # below where the residual arrow begins
    top = BOTTOM - STEP * (n_boxes + 1) - HEIGHT / 2 - 8
    outside = 1 if name == DECODER_LAYER else -1
    width = COLUMN_WIDTH + 24 + RESIDUAL_WIDTH
    middle = x + outside * RESIDUAL_WIDTH / 2
    drawing.box(middle, (top + bottom) / 2, width, bottom - top, fill=_fill(name, written))

    edge = -outside * (COLUMN_WIDTH / 2 + 18)
    anchor = "end" if name == DECODER_LAYER else "start"
    drawing.text(x + edge, top + 14, f"{N_LAYERS} layers", size=SMALL, anchor=anchor)
    drawing.text(x + edge, top + 38, name, size=SMALL, code=True, anchor=anchor)


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


def _draw_residuals(drawing: Drawing, boxes: list[Box], outside: int) -> None:
    """Draw the way of x past each sub-layer to the Add & Norm after it.

    Arguments:
        boxes: each sub-layer and the norm after it, in turn
        outside: on which side of the boxes, 1 for the right and -1 for the left
    """
    for sublayer, norm in zip(boxes[::2], boxes[1::2], strict=True):
        edge = norm.at_right if outside == 1 else norm.at_left
        line_x = edge[0] + outside * RESIDUAL_WIDTH
        branch_y = sublayer.bottom + 13
        start = (sublayer.x, branch_y)
        drawing.arrow(start, (line_x, branch_y), (line_x, norm.y), edge, thick=3)


def _draw_memory(drawing: Drawing, memory: Box, cross: Box) -> None:
    """Draw the way of the encoder's output to the cross-attention."""
    before = cross.left - 36
    drawing.arrow(memory.at_right, (before, memory.y), (before, cross.y), cross.at_left)


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
    mask = drawing.box(middle, source.y + STEP, width, height, fill=_fill(TARGET_MASK, written))
    drawing.text(padding.x, padding.y, PADDING_MASK, size=SMALL, code=True)
    drawing.text(mask.x, mask.y, TARGET_MASK, size=SMALL, code=True)

    drawing.arrow(
        (source.right + 44, padding.bottom), (source.right + 44, source.y), source.at_right
    )
    low = cross.y + 16
    drawing.arrow((padding.right - 20, padding.top), (padding.right - 20, low), (cross.left, low))
    drawing.arrow((mask.right - 20, mask.top), (mask.right - 20, target.y), target.at_left)


def _draw_tally(drawing: Drawing, x: float, n_written: int) -> None:
    """Say how many functions are the learner's."""
    y = BOTTOM - STEP * (len(DECODER) - 1)
    drawing.box(x - 92, y, 30, 24, fill=tint(YOURS_COLOR, 0.75))
    drawing.text(x - 66, y, f"yours: {n_written} of {len(FUNCTIONS)}", anchor="start")


def _draw_sentences(drawing: Drawing, source: str, translation: str) -> None:
    """Write what goes in and what comes out, if there is something."""
    y = BOTTOM - STEP * 8.4
    for text, bold in ((source, False), (translation, True)):
        if text:
            drawing.text(30, y, text, size=SMALL, bold=bold, anchor="start")
        y += 28
