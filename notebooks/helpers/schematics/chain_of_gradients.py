"""Values go forward along a graph, and gradients backward."""

from .frame import (
    GRADIENT_COLOR,
    INK,
    MARGIN,
    SMALL,
    TIMES,
    WIDTH,
    Box,
    Drawing,
    number,
)

W = 2.0
X = 1.0
APART = 6  # how far the arrows of an edge are from its middle


def chain_of_gradients() -> Drawing:
    """Draw L = (w x + x)^2 with the value and the gradient at each edge."""
    drawing = Drawing(
        "Backpropagation: gradients go back along the graph",
        "Values go forward from w and x to L. Gradients go back from dL = 1, one operation at a "
        "time. x is used twice, so two gradients come back to it, and they are added.",
    )
    a = W * X
    y = a + X
    loss = y**2

    dy = 2 * y
    da = dy
    dw = da * X
    share_of_times = da * W
    share_of_plus = dy

    top = 70
    low = 250
    middle = 160
    w_box = drawing.word(80, top, f"w = {number(W)}")
    x_box = drawing.word(80, low, f"x = {number(X)}")
    times = drawing.sign(262, 112, TIMES, radius=22)
    plus = drawing.sign(410, middle, "+", radius=22)
    square = drawing.sign(560, middle, "( )^{2}", radius=26)
    end = Box(WIDTH - MARGIN - 4, middle, 0, 0)

    _draw_edge(drawing, w_box.at_right, times.at_left, W, dw)
    _draw_edge(
        drawing, (x_box.x + 24, x_box.top), (times.left + 6, times.bottom - 4), X, share_of_times
    )
    _draw_edge(drawing, x_box.at_right, (plus.left + 4, plus.bottom - 8), X, share_of_plus)
    _draw_edge(drawing, times.at_right, (plus.left + 1, plus.y - 8), a, da)
    _draw_edge(drawing, plus.at_right, square.at_left, y, dy)
    _draw_edge(drawing, square.at_right, end.at_left, loss, 1)
    drawing.text(end.x - 30, middle - 46, "L", bold=True)

    shares = f"{number(share_of_times)} + {number(share_of_plus)}"
    total = number(share_of_times + share_of_plus)
    drawing.text(
        MARGIN,
        low + 50,
        f"dx = {shares} = {total}",
        color=GRADIENT_COLOR,
        bold=True,
        anchor="start",
    )
    drawing.text(MARGIN, low + 78, "x is used twice: add", size=SMALL, anchor="start")
    _draw_legend(drawing, low + 50)
    return drawing


def _draw_edge(
    drawing: Drawing,
    start: tuple[float, float],
    end: tuple[float, float],
    value: float,
    gradient: float,
) -> None:
    """Draw an arrow forward with a value above it, and one backward with a gradient below."""
    dx = end[0] - start[0]
    dy = end[1] - start[1]
    length = (dx**2 + dy**2) ** 0.5
    # at a right angle to the edge, and upward
    across = (dy / length, -dx / length)
    for side, text, color in (
        (1, number(value), INK),
        (-1, number(gradient), GRADIENT_COLOR),
    ):
        near = side * APART
        first = (start[0] + near * across[0], start[1] + near * across[1])
        last = (end[0] + near * across[0], end[1] + near * across[1])
        if side > 0:
            drawing.arrow(first, last, color=color)
        else:
            drawing.arrow(last, first, color=color)
        far = side * 22
        x = (start[0] + end[0]) / 2 + far * across[0]
        y = (start[1] + end[1]) / 2 + far * across[1]
        drawing.text(x, y, text, color=color)


def _draw_legend(drawing: Drawing, y: float) -> None:
    """Say what goes forward and what goes back."""
    right = WIDTH - MARGIN
    for place, name, color, ends in (
        (y, "values, forward", INK, (right - 60, right)),
        (y + 28, "gradients, backward", GRADIENT_COLOR, (right, right - 60)),
    ):
        drawing.arrow((ends[0], place), (ends[1], place), color=color)
        drawing.text(right - 74, place, name, size=SMALL, color=color, anchor="end")
