"""Rotary positions: a vector turns with its position, and a score depends on the distance only."""

import math

import numpy as np

from .frame import (
    FAINT,
    INK,
    K_COLOR,
    LINE,
    MARGIN,
    Q_COLOR,
    SMALL,
    WIDTH,
    Drawing,
    columns,
    number,
)

STEP = math.pi / 9  # by which a position turns a vector, 20 degrees
RADIUS = 78
QUERY = np.array([math.cos(0.3), math.sin(0.3)])
KEY = np.array([math.cos(0.1), math.sin(0.1)])
POSITIONS = (0, 1, 2, 6)  # of the query that is drawn alone
PAIRS = ((1, 3), (4, 6), (1, 6))  # positions of a key and a query


def rotary() -> Drawing:
    """Draw a query at some positions, and then queries with keys."""
    drawing = Drawing(
        "Rotary positions: vectors turn",
        "A query is turned further at each position. Where query and key are turned by the same "
        "number of positions more, the angle between them stays, and so does their score.",
    )
    drawing.text(MARGIN, 36, "one query, at four positions", anchor="start", bold=True)
    y = 160
    for x, position in zip(columns(len(POSITIONS), MARGIN, WIDTH - MARGIN), POSITIONS, strict=True):
        _draw_dial(drawing, x, y)
        _draw_vector(drawing, x, y, QUERY, Q_COLOR, dashed=True)
        _draw_vector(drawing, x, y, turned(QUERY, position), Q_COLOR)
        drawing.text(x, y + RADIUS + 26, f"position {position}", size=SMALL, color=Q_COLOR)

    drawing.rule(298)
    drawing.text(MARGIN, 334, "a query and a key", anchor="start", bold=True)
    y = 454
    for x, (s, t) in zip(columns(len(PAIRS), MARGIN, WIDTH - MARGIN), PAIRS, strict=True):
        _draw_dial(drawing, x, y)
        _draw_vector(drawing, x, y, turned(KEY, s), K_COLOR)
        _draw_vector(drawing, x, y, turned(QUERY, t), Q_COLOR)
        places = [("query at ", INK), (str(t), Q_COLOR), (", key at ", INK), (str(s), K_COLOR)]
        drawing.text(x, y + RADIUS + 26, places, size=SMALL)
        drawing.text(x, y + RADIUS + 52, f"distance {t - s}", size=SMALL, color=LINE)
        value = number(turned(QUERY, t) @ turned(KEY, s), 2)
        drawing.text(x, y + RADIUS + 82, f"score {value}", bold=True)
    return drawing


def turned(vector: np.ndarray, position: int) -> np.ndarray:
    """Return a vector of two features, turned as its position says.

    >>> turned(np.array([1.0, 0.0]), 9).round(3).tolist()
    [-1.0, 0.0]
    """
    sine = math.sin(position * STEP)
    cosine = math.cos(position * STEP)
    first, second = vector
    return np.array([first * cosine - second * sine, first * sine + second * cosine])


def _draw_dial(drawing: Drawing, x: float, y: float) -> None:
    """Draw the circle on which all ends are."""
    drawing.parts.append(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="none" stroke="{FAINT}" '
        'stroke-width="1.5"/>'
    )
    drawing.dot(x, y, LINE, radius=4)


def _draw_vector(
    drawing: Drawing, x: float, y: float, vector: np.ndarray, color: str, *, dashed: bool = False
) -> None:
    """Draw a vector of norm 1; y grows downward on a page."""
    end = (x + RADIUS * vector[0], y - RADIUS * vector[1])
    if dashed:
        drawing.line((x, y), end, color=color, thick=1.5, dashed=True)
    else:
        drawing.arrow((x, y), end, color=color, thick=3.5)
