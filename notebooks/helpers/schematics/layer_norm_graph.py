"""LayerNorm in small steps: values go forward along the graph, gradients backward."""

import numpy as np

from .frame import GRADIENT_COLOR, INK, MARGIN, MINUS, SMALL, WIDTH, Drawing, number

X = np.array([1.0, 1.0, 5.0, 5.0])
DXHAT = np.array([8.0, 0.0, 0.0, 0.0])
SIDE = 30  # width of a cell
HEIGHT = 34
LEFT = 100  # the middle of x
MIDDLE = 360  # of c, and of v above it
RIGHT = WIDTH - LEFT  # of xhat, and of rstd above it
HIGH = 90  # the row of v and rstd
LOW = 290  # the row of x, c and xhat
APART = 12  # how far an upright arrow is from the middle of its nodes


def layer_norm_graph() -> Drawing:
    """Draw x, c, v, rstd and xhat with their values and gradients, and the two shares of dc."""
    drawing = Drawing(
        "LayerNorm in small steps",
        "From x to c, less the mean. From c to its mean square v and to rstd, one over the root. c "
        "times rstd is xhat. Gradients go back. c is used twice, in xhat and in v, so dc is a sum "
        "of two shares.",
    )
    c = X - X.mean()
    v = (c**2).mean()
    rstd = v**-0.5
    xhat = c * rstd

    drstd = (DXHAT * c).sum()
    dv = -0.5 * rstd**3 * drstd
    through_xhat = DXHAT * rstd
    through_v = dv * 2 * c / len(c)
    dc = through_xhat + through_v
    dx = dc - dc.mean()

    _draw_node(drawing, LEFT, LOW, "x", X, dx)
    _draw_node(drawing, MIDDLE, LOW, "c", c, dc)
    _draw_node(drawing, RIGHT, LOW, "xhat", xhat, DXHAT)
    _draw_node(drawing, MIDDLE, HIGH, "v", np.array([v]), np.array([dv]))
    _draw_node(drawing, RIGHT, HIGH, "rstd", np.array([rstd]), np.array([drstd]))

    half = 2 * SIDE + 6  # from the middle of a row of four cells to the end of an arrow
    one = SIDE + 6  # the same for a wide cell
    _draw_level(drawing, LEFT + half, MIDDLE - half, LOW, f"{MINUS} mean")
    _draw_level(drawing, MIDDLE + half, RIGHT - half, LOW, "times rstd")
    _draw_level(drawing, MIDDLE + one, RIGHT - one, HIGH, "1 / root")
    top = HIGH + HEIGHT + 6
    bottom = LOW - HEIGHT - 6
    middle = (top + bottom) / 2
    drawing.arrow((MIDDLE - APART, bottom), (MIDDLE - APART, top), color=INK)
    drawing.arrow((MIDDLE + APART, top), (MIDDLE + APART, bottom), color=GRADIENT_COLOR)
    drawing.text(MIDDLE - 28, middle, "mean of c^{2}", size=SMALL, anchor="end")
    drawing.arrow((RIGHT - APART, top), (RIGHT - APART, bottom), color=INK)
    drawing.arrow((RIGHT + APART, bottom), (RIGHT + APART, top), color=GRADIENT_COLOR)

    first = _written(through_xhat)
    second = _written(through_v)
    total = f"c is used twice: dc = {first} + {second}"
    for x, y, text, anchor in (
        ((MIDDLE + RIGHT) / 2, LOW + HEIGHT + 18, first, "middle"),
        (MIDDLE + 28, middle, second, "start"),
        (MARGIN, LOW + 104, total, "start"),
    ):
        drawing.text(x, y, text, size=SMALL, color=GRADIENT_COLOR, anchor=anchor)
    return drawing


def _draw_node(
    drawing: Drawing, x: float, y: float, name: str, values: np.ndarray, gradient: np.ndarray
) -> None:
    """Draw a variable: its values, and below them its gradient."""
    width = SIDE if len(values) > 1 else 2 * SIDE
    for middle, row, color in (
        (y - HEIGHT / 2, values, INK),
        (y + HEIGHT / 2, gradient, GRADIENT_COLOR),
    ):
        drawing.cells(x, middle, row, color, width=width, height=HEIGHT)
    # names are on the outer side, where no upright arrow is
    is_right = x > MIDDLE
    edge = width * len(values) / 2
    end = x + edge if is_right else x - edge
    anchor = "end" if is_right else "start"
    above = y - HEIGHT - 16
    below = y + HEIGHT + 18
    if len(values) == 1:
        end += 8 if is_right else -8
        anchor = "start" if is_right else "end"
        above = y - HEIGHT / 2
        below = y + HEIGHT / 2
    names = ((above, name, INK), (below, f"d{name}", GRADIENT_COLOR))
    for middle, text, color in names:
        drawing.text(end, middle, text, size=SMALL, color=color, anchor=anchor, bold=True)


def _draw_level(drawing: Drawing, left: float, right: float, y: float, operation: str) -> None:
    """Draw an arrow forward with its operation above, and one backward below it."""
    drawing.arrow((left, y - HEIGHT / 2), (right, y - HEIGHT / 2), color=INK)
    drawing.arrow((right, y + HEIGHT / 2), (left, y + HEIGHT / 2), color=GRADIENT_COLOR)
    drawing.text((left + right) / 2, y - HEIGHT / 2 - 18, operation, size=SMALL)


def _written(vector: np.ndarray) -> str:
    """Return a vector as a row in parentheses."""
    return "(" + ", ".join(number(value) for value in vector) + ")"
