"""What a decoder computes at each step, without and with a cache of keys and values."""

from .frame import FAINT, INK, K_COLOR, LINE, MARGIN, SMALL, V_COLOR, WIDTH, Drawing

N_STEPS = 5
CELL = 23
GAP = 33  # between two steps
LEFT = 176  # where the first step begins
COMPUTED = 1.0  # how dark a cell is
KEPT = 0.12


def kv_cache() -> Drawing:
    """Draw the scores, keys and values of five steps."""
    drawing = Drawing(
        "The KV cache: what is computed, and what is kept",
        "A square is a score of a query (row) and a key (column). Without a cache each step "
        "computes all squares, those that the mask hides too. With it only the last row is "
        "computed, and one key and one value, next to those that are kept.",
    )
    top = 62.0
    drawing.text(MARGIN, 36, "without a cache", anchor="start", bold=True)
    bottom = _draw_steps(drawing, top, cached=False)

    top = bottom + 74
    drawing.text(MARGIN, top - 26, "with a cache", anchor="start", bold=True)
    # only the last of the rows is drawn: the others would be empty
    bottom = _draw_steps(drawing, top - CELL * (N_STEPS - 1), cached=True)
    _draw_legend(drawing, bottom + 40)
    return drawing


def _draw_steps(drawing: Drawing, top: float, *, cached: bool) -> float:
    """Draw the scores of all steps, and below them keys and values; return where they end."""
    row_of_keys = top + CELL * (N_STEPS + 0.9)
    row_of_values = row_of_keys + CELL * 1.25
    row_of_counts = row_of_values + CELL * 1.45
    labels = (
        (top + CELL * (N_STEPS - 0.5), "scores", INK),
        (row_of_keys, "keys", K_COLOR),
        (row_of_values, "values", V_COLOR),
        (row_of_counts, "scores made", INK),
    )
    for y, label, color in labels:
        drawing.text(LEFT - 26, y, label, size=SMALL, color=color, anchor="end")

    left = LEFT
    total = 0
    for t in range(1, N_STEPS + 1):
        total += _draw_scores(drawing, left, top, t, cached=cached)
        for j in range(t):
            made = not cached or j == t - 1
            x = left + CELL * (j + 0.5)
            _draw_cell(drawing, x, row_of_keys, COMPUTED if made else KEPT, K_COLOR)
            _draw_cell(drawing, x, row_of_values, COMPUTED if made else KEPT, V_COLOR)
        made_now = t if cached else t * t
        drawing.text(left + CELL * t / 2, row_of_counts, str(made_now), size=SMALL)
        left += CELL * t + GAP
    drawing.text(WIDTH - MARGIN, row_of_counts, f"{total}", anchor="end", bold=True)
    return row_of_counts


def _draw_scores(drawing: Drawing, left: float, top: float, t: int, *, cached: bool) -> int:
    """Draw the scores of step t, the last row at the bottom; return how many it makes."""
    n_made = 0
    for i in range(t):
        y = top + CELL * (N_STEPS - t + i + 0.5)
        for j in range(t):
            x = left + CELL * (j + 0.5)
            if cached and i < t - 1:
                continue
            n_made += 1
            if j <= i:
                _draw_cell(drawing, x, y, COMPUTED, INK)
            else:
                _draw_hidden_cell(drawing, x, y)
    return n_made


def _draw_cell(drawing: Drawing, x: float, y: float, share: float, color: str) -> None:
    drawing.cells(x, y, [share], color, largest=1, width=CELL, height=CELL, written=False)


def _draw_hidden_cell(drawing: Drawing, x: float, y: float) -> None:
    """Draw a score that is computed, and then hidden by the mask."""
    drawing.cells(x, y, [0.25], FAINT, largest=1, width=CELL, height=CELL, written=False)
    half = CELL / 2
    drawing.line((x - half, y + half), (x + half, y - half), color=LINE, thick=1)


def _draw_legend(drawing: Drawing, y: float) -> None:
    """Say what the shades are."""
    x = MARGIN + CELL / 2
    _draw_cell(drawing, x, y, COMPUTED, INK)
    drawing.text(x + 20, y, "made in this step", size=SMALL, anchor="start")
    x += 206
    _draw_hidden_cell(drawing, x, y)
    drawing.text(x + 20, y, "made, then hidden by the mask", size=SMALL, anchor="start")
    x += 318
    _draw_cell(drawing, x, y, KEPT, K_COLOR)
    drawing.text(x + 20, y, "kept", size=SMALL, anchor="start")
