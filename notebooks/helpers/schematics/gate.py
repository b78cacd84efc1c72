"""A feed-forward network with a ReLU, and one with a gate."""

from .frame import LINE, Q_COLOR, SMALL, TIMES, V_COLOR, WIDTH, Drawing


def gate() -> Drawing:
    """Draw both networks side by side, from x at the bottom to y at the top."""
    drawing = Drawing(
        "A feed-forward network with a gate",
        "Left, the network of the paper: a linear map, a ReLU, a linear map. Right, SwiGLU: "
        "two linear maps of x, one of which is the gate; their product goes through the last map.",
    )
    left = WIDTH / 4
    drawing.text(left, 36, "2017", bold=True)
    y = drawing.box(left, 84, 60, 34, "y")
    second = drawing.box(left, 156, 120, 38, "W_{2}")
    relu = drawing.box(left, 236, 120, 38, "ReLU")
    first = drawing.box(left, 316, 120, 38, "W_{1}")
    x = drawing.box(left, 396, 60, 34, "x")
    for low, high in ((x, first), (first, relu), (relu, second), (second, y)):
        drawing.arrow(low.at_top, high.at_bottom)

    right = 3 * WIDTH / 4
    drawing.text(right, 36, "SwiGLU", bold=True)
    y = drawing.box(right, 84, 60, 34, "y")
    second = drawing.box(right, 156, 120, 38, "W_{2}")
    times = drawing.sign(right, 222, TIMES)
    silu = drawing.box(right - 90, 258, 110, 36, "SiLU", edge=Q_COLOR, thick=3)
    w_gate = drawing.box(right - 90, 326, 110, 36, "W_{g}", edge=Q_COLOR, thick=3)
    w_value = drawing.box(right + 90, 326, 110, 36, "W_{1}", edge=V_COLOR, thick=3)
    x = drawing.box(right, 396, 60, 34, "x")
    drawing.arrow(second.at_top, y.at_bottom)
    drawing.arrow(times.at_top, second.at_bottom)
    drawing.arrow(silu.at_top, (silu.x, times.y), times.at_left, color=Q_COLOR)
    drawing.arrow(w_gate.at_top, silu.at_bottom, color=Q_COLOR)
    drawing.arrow(w_value.at_top, (w_value.x, times.y), times.at_right, color=V_COLOR)
    drawing.arrow(x.at_left, (w_gate.x, x.y), w_gate.at_bottom, color=LINE)
    drawing.arrow(x.at_right, (w_value.x, x.y), w_value.at_bottom, color=LINE)
    drawing.text(silu.x, 196, "gate", size=SMALL, color=Q_COLOR)
    drawing.text(w_value.x, 196, "value", size=SMALL, color=V_COLOR)
    return drawing
