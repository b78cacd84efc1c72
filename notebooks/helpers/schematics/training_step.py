"""One training step: forward, loss, backward, update, and again."""

from .frame import GRADIENT_COLOR, INK, LINE, MARGIN, SMALL, WIDTH, Box, Drawing, columns

BOX_SIZE = (292, 96)


def training_step() -> Drawing:
    """Draw the loop of a training."""
    drawing = Drawing(
        "One training step",
        "Four boxes in a loop: forward makes logits of sentences, the loss compares them "
        "with the target, backward makes a gradient for each parameter, and the update changes the "
        "parameters.",
    )
    pair_y = 44
    upper = 166
    lower = 342
    left, right = columns(2, MARGIN, WIDTH - MARGIN)

    pair = drawing.box(left, pair_y, 250, 40, "sentences, as ids")
    forward = _draw_box(drawing, left, upper, "1  forward", "model.forward(...)", INK)
    loss = _draw_box(drawing, right, upper, "2  loss", "cross_entropy(...)", INK)
    backward = _draw_box(
        drawing, right, lower, "3  backward", "model.backward(dlogits)", GRADIENT_COLOR
    )
    update = _draw_box(drawing, left, lower, "4  update", "optimizer.step(lr)", INK)

    drawing.arrow(pair.at_bottom, forward.at_top)
    drawing.arrow(forward.at_right, loss.at_left)
    drawing.arrow(loss.at_bottom, backward.at_top, color=GRADIENT_COLOR)
    drawing.arrow(backward.at_left, update.at_right, color=GRADIENT_COLOR)
    drawing.arrow(update.at_top, forward.at_bottom)

    between = (upper + lower) / 2
    drawing.text(WIDTH / 2, forward.top - 16, "logits", size=SMALL, color=LINE)
    drawing.text(right + 14, between, "dlogits", size=SMALL, color=GRADIENT_COLOR, anchor="start")
    drawing.text(
        WIDTH / 2, lower + 68, "gradients of all parameters", size=SMALL, color=GRADIENT_COLOR
    )
    drawing.text(left + 14, between, "new parameters", size=SMALL, color=LINE, anchor="start")
    return drawing


def _draw_box(drawing: Drawing, x: float, y: float, name: str, code: str, color: str) -> Box:
    """Draw a part of the step, with its line of Python."""
    width, height = BOX_SIZE
    box = drawing.box(x, y, width, height, edge=color, thick=2)
    drawing.text(x, y - 18, name, bold=True, color=color)
    drawing.text(x, y + 18, code, size=SMALL, code=True)
    return box
