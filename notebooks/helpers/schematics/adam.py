"""Adam: a step has the size of the steadiness of a gradient; and warm-up."""

import numpy as np

from npformer import WarmupSchedule

from .frame import (
    FAINT,
    GRADIENT_COLOR,
    INK,
    LINE,
    MARGIN,
    MINUS,
    SMALL,
    WIDTH,
    Drawing,
    columns,
)

BETA_1 = 0.9
BETA_2 = 0.98
LARGE = np.array([1.0, 0.8, 1.0, 1.2, 0.8, 1.0, 1.2, 1.0])
ALTERNATING = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
GRADIENTS = {
    "large, steady": LARGE,
    "small, steady": 0.2 * LARGE,
    "alternating": LARGE * ALTERNATING,
}
D_MODEL = 512
WARMUP_STEPS = 4000  # of the paper


def size_of_step(gradients: np.ndarray) -> float:
    """Return m / sqrt(v) after some gradients, both corrected for their start at 0."""
    m = 0.0
    v = 0.0
    for gradient in gradients:
        m = BETA_1 * m + (1 - BETA_1) * gradient
        v = BETA_2 * v + (1 - BETA_2) * gradient**2
    n = len(gradients)
    m_corrected = m / (1 - BETA_1**n)
    v_corrected = v / (1 - BETA_2**n)
    return float(m_corrected / v_corrected**0.5)


def adam() -> Drawing:
    """Draw three series of gradients with Adam's step for each, and the learning rate."""
    drawing = Drawing(
        "Adam and warm-up",
        "Large gradients of one sign and small ones of one sign lead to steps of the same size. "
        "Gradients of alternating sign lead to a small step. Below: the learning rate rises, then "
        "falls.",
    )
    heading_y = 40
    rows = columns(len(GRADIENTS), 62, 62 + 86 * len(GRADIENTS))
    drawing.text(310, heading_y, "gradients", size=SMALL, color=GRADIENT_COLOR)
    drawing.text(576, heading_y, "step = m / \u221av", size=SMALL)
    for y, (name, gradients) in zip(rows, GRADIENTS.items(), strict=True):
        _draw_series(drawing, y, name, gradients)
    rule_y = 340
    drawing.rule(rule_y)
    _draw_warm_up(drawing, rule_y + 36)
    return drawing


def _draw_series(drawing: Drawing, y: float, name: str, gradients: np.ndarray) -> None:
    """Draw gradients as bars, and the step as an arrow."""
    unit = 30
    bars_left = 190
    bars_right = 430
    arrow_left = 500
    arrow_unit = 110
    drawing.text(MARGIN, y, name, anchor="start")
    for x, gradient in zip(columns(len(gradients), bars_left, bars_right), gradients, strict=True):
        drawing.bar(x, y, unit * gradient, GRADIENT_COLOR, width=20)
    drawing.line((bars_left, y), (bars_right, y), thick=1.5)

    step = size_of_step(gradients)
    drawing.line((arrow_left, y - 14), (arrow_left, y + 14), color=LINE)
    drawing.arrow((arrow_left, y), (arrow_left + arrow_unit * step, y), color=INK, thick=4)
    drawing.text(WIDTH - MARGIN, y, f"{step:.2f}".replace("-", MINUS), anchor="end")


def _draw_warm_up(drawing: Drawing, top: float) -> None:
    """Draw the learning rate over the updates."""
    schedule = WarmupSchedule(D_MODEL, WARMUP_STEPS)
    last = 5 * WARMUP_STEPS
    left = 190
    right = WIDTH - MARGIN - 20
    height = 110
    base = top + height
    peak = schedule(WARMUP_STEPS)
    points = []
    for step in range(1, last, last // 100):
        x = left + (right - left) * step / last
        points.append((x, base - height * schedule(step) / peak))
    peak_x = left + (right - left) * WARMUP_STEPS / last
    drawing.text(MARGIN, top + height / 2, "learning rate", anchor="start")
    drawing.line((peak_x, base), (peak_x, top), color=FAINT)
    drawing.line((left, base), (right, base))
    drawing.curve(points)
    drawing.text(peak_x, base + 20, f"{WARMUP_STEPS}", size=SMALL)
    drawing.text(right, base + 20, "updates", size=SMALL, anchor="end")
    drawing.text(
        peak_x + 34, base - 24, "small steps while m and v know little", size=SMALL, anchor="start"
    )
    drawing.arrow((peak_x + 28, base - 24), (left + 40, base - 24))
