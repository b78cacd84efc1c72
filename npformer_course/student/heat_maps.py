"""Heat maps of the numbers of an answer, as HTML for a notebook."""

from __future__ import annotations

import base64
import html
import io

import numpy as np

from npformer.utils.errors import import_optional
from npformer.visualization.plots.heat_map import largest_magnitude

from ..report import Report
from ..tolerance import TOLERANCE, errors

PICTURES = (
    "The last axis runs across, all before it run down. "
    "Red is above 0, blue is below, gray is NaN or infinite. "
    "Differences that count as rounding are white."
)
RED = (178, 24, 43)
BLUE = (33, 102, 172)
GRAY = (153, 153, 153)


def pictures_of(report: Report) -> str:
    """Return HTML with yours, the expected and the difference of the parts whose numbers differ.

    Empty without any.
    """
    maps = []
    for part in report.parts:
        if part.got is None or part.expected is None:
            continue
        if part.got.shape != part.expected.shape or part.got.size <= 1:
            continue
        yours = _rows(part.got)
        expected = _rows(part.expected)
        limit = max(largest_magnitude(yours), largest_magnitude(expected))  # equal colors: equal
        difference = _without_rounding(part.got, part.expected)
        maps.append(_heat_map(yours, f"{part.name}: yours", limit))
        maps.append(_heat_map(expected, f"{part.name}: expected", limit))
        own_limit = largest_magnitude(difference)
        maps.append(_heat_map(difference, f"{part.name}: difference", own_limit))
    if not maps:
        return ""
    style = "display: flex; flex-wrap: wrap; gap: 1em"
    return f'{PICTURES}<div style="{style}">{"".join(maps)}</div>'


def _rows(x: np.ndarray) -> np.ndarray:
    return np.asarray(x, float).reshape(-1, x.shape[-1])


def _without_rounding(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the differences, and 0 where a check takes the two numbers for the same."""
    with np.errstate(invalid="ignore"):  # infinity less infinity
        difference = _rows(got) - _rows(expected)
    difference[_rows(errors(got, expected)) <= TOLERANCE] = 0
    return difference


def _heat_map(values: np.ndarray, title: str, limit: float) -> str:
    """Return values (rows, columns) as a picture in HTML, in which `limit` is the darkest.

    Without matplotlib, for which Pyodide takes half a minute.
    """
    # where all values are 0 any limit will do
    limit = limit or 1.0
    share = np.clip(np.nan_to_num(values / limit), -1, 1)[..., None]
    # from white at 0 to the full color at the limit
    colors = 255 - abs(share) * (255 - np.where(share > 0, RED, BLUE))
    is_number = np.isfinite(values)
    colors[~is_number] = GRAY

    content = io.BytesIO()
    pillow = import_optional("PIL.Image", "npformer")
    pillow.fromarray(colors.astype(np.uint8)).save(content, "png")
    data = base64.b64encode(content.getvalue()).decode()
    style = "image-rendering: pixelated; width: 100%; height: 9em; border: thin solid"
    image = f'<img alt="" style="{style}" src="data:image/png;base64,{data}">'
    title = f"{html.escape(title)}, darkest {limit:.3g}"
    if not is_number.all():
        title += f", gray: {np.sum(~is_number)} of {values.size} are NaN or infinite"
    return f'<div style="width: 30%; min-width: 7em">{title}{image}</div>'
