"""Three rows of a table with three runs each: what a mean of three can tell."""

from .frame import FAINT, INK, LINE, MARGIN, SMALL, Drawing

# BLEU of seeds 0, 1 and 2
RUNS = {
    "base": (73.5, 77, 74.5),
    "change A": (72.5, 80, 75.5),
    "change B": (81.5, 79, 79.5),
}
AXIS_LEFT = 140
AXIS_RIGHT = 540
LOWEST = 72
HIGHEST = 82
TOP = 84
STEP = 62
COLOR = "#0072B2"


def three_seeds() -> Drawing:
    """Draw the runs of three rows on one axis, with their means."""
    drawing = Drawing(
        "A row of a table is a mean of runs",
        "Three rows with three dots each, one per seed, and a bar at their mean. With another seed "
        "the runs of the first change are below base or above it; those of the second are all "
        "above it.",
    )
    drawing.text(AXIS_LEFT, 34, "BLEU of seeds 0, 1 and 2", size=SMALL, anchor="start", color=LINE)
    drawing.text(AXIS_RIGHT + 28, 34, "mean", size=SMALL, anchor="start", color=LINE)
    bottom = TOP + STEP * (len(RUNS) - 1)
    base = sum(RUNS["base"]) / 3
    drawing.line((_x(base), TOP - 26), (_x(base), bottom + 26), color=LINE, dashed=True)

    for place, (name, runs) in enumerate(RUNS.items()):
        y = TOP + STEP * place
        mean = sum(runs) / 3
        drawing.text(MARGIN, y, name, anchor="start", bold=name == "base")
        drawing.line((AXIS_LEFT, y), (AXIS_RIGHT, y), color=FAINT)
        drawing.line((_x(mean), y - 17), (_x(mean), y + 17), color=INK, thick=4)
        for seed, bleu in enumerate(runs):
            drawing.dot(_x(bleu), y, COLOR, radius=9)
            drawing.text(_x(bleu), y + 27, str(seed), size=16, color=LINE)
        drawing.text(AXIS_RIGHT + 28, y, f"{mean:g}", anchor="start", bold=True)

    notes = (
        "A: one run of each says better (seed 1) or worse (seed 0).",
        "B: better by 5, and runs of a row differ by 3. Is that enough?",
    )
    for place, note in enumerate(notes):
        drawing.text(MARGIN, bottom + 66 + 28 * place, note, size=SMALL, anchor="start")
    return drawing


def _x(bleu: float) -> float:
    return AXIS_LEFT + (AXIS_RIGHT - AXIS_LEFT) * (bleu - LOWEST) / (HIGHEST - LOWEST)
