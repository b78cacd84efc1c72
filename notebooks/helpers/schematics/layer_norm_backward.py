"""What the backward of LayerNorm takes out of a gradient."""

import numpy as np

from npformer.layers import LayerNorm

from .frame import GRADIENT_COLOR, INK, LINE, MARGIN, SMALL, WIDTH, Drawing, columns, number

X = np.array([4.0, 2.0, 0.0, 2.0])
DXHAT = np.array([2.0, 0.0, 1.0, -1.0])
UNIT = 34  # pixels of a bar per 1
BAR_WIDTH = 28
STEP = 34  # from a bar to the next
STEP_OF_PANELS = (WIDTH - 2 * MARGIN) / 4


def layer_norm_backward() -> Drawing:
    """Draw a gradient as the sum of its mean, its part along xhat, and the rest."""
    drawing = Drawing(
        "The backward of LayerNorm",
        "The gradient dxhat is the sum of three parts: its mean, a part along xhat, and a rest. "
        "Moving all of x by the same amount, or stretching it, does not change xhat: these two "
        "parts are taken out, and only the rest goes back.",
    )
    xhat = LayerNorm(len(X))(X)
    mean = np.full(len(X), DXHAT.mean())
    along = xhat * (DXHAT * xhat).mean()
    rest = DXHAT - mean - along

    name_y = 44
    base = 162
    signs = ("", "=", "+", "+")  # before each panel
    panels = (
        ("dxhat", DXHAT, GRADIENT_COLOR, ("what comes", "back")),
        ("its mean", mean, LINE, ("x + 1 has the", "same xhat: out")),
        ("along xhat", along, LINE, ("2 x has the", "same xhat: out")),
        ("the rest", rest, GRADIENT_COLOR, ("times rstd:", "this is dx")),
    )
    for panel, middle in enumerate(columns(len(panels), MARGIN, WIDTH - MARGIN)):
        name, values, color, lines = panels[panel]
        drawing.text(middle, name_y, name, bold=True, color=color)
        left = middle - 2 * STEP
        right = middle + 2 * STEP
        if panel > 0:
            drawing.text(middle - STEP_OF_PANELS / 2, base, signs[panel], bold=True)
        for x, value in zip(columns(len(values), left, right), values, strict=True):
            drawing.bar(x, base, UNIT * value, color, width=BAR_WIDTH)
            # above the bar, or above the line where the bar hangs from it
            drawing.text(x, base - UNIT * max(value, 0) - 14, number(value), size=16)
        drawing.line((left, base), (right, base), thick=1.5)
        for i, line in enumerate(lines):
            drawing.text(middle, base + 84 + 26 * i, line, size=SMALL, color=INK)

    return drawing
