"""The numbers at the entry that differs most."""

from __future__ import annotations

import numpy as np

from ..report import Finding
from ..tolerance import TOLERANCE, error, same
from .comparison import Comparison

MAX_DIGITS = 17  # distinguish any two floats
UNSAID = "the numbers differ"
NOT_FINITE = (
    "Was it handed in, or which line makes it first: a division by 0, an exponential that is too large, 0 * inf, "
    "inf - inf, or the root or the logarithm of 0 or of a negative number?"
)


def numbers(part: Comparison) -> Finding:
    """Return what came and was expected at a wrong entry, the worst or of the first wrong call, and how many differ."""
    inner = part.apart()
    pairs = list(zip(inner.got, inner.right, strict=True)) if part.comparable else []
    if any(got.shape != right.shape for got, right in pairs) or all(
        same(got, right) for got, right in pairs
    ):
        return Finding("numbers", "", UNSAID)
    worst = worst_draw(inner) if inner is part else [same(*pair) for pair in pairs].index(False)
    got, expected = pairs[worst]
    if part.entries == () and not got.ndim:
        return Finding("numbers", "", f"{part.name} is not the one expected")
    wide = got.dtype if got.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        differences = np.where(got == expected, 0, np.abs(got.astype(wide) - expected))
    differences = np.where(
        np.isnan(differences), np.where(np.isnan(got) & np.isnan(expected), 0, np.inf), differences
    )
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0) or 1.0
    at = np.unravel_index(int(np.argmax(differences)), got.shape)
    text = f"{_name(part, inner, worst, at)} has {_values(part, got[at], expected[at])}"
    if part.entries == () and at:
        text += f" {part.case.places(part.name, part.draws[worst])[np.ravel_multi_index(at, got.shape)]}"
    if got.size > 1:
        text += f"; {int((differences > TOLERANCE * scale).sum())} of {got.size} entries differ"
    if not np.isfinite(got[at]):
        return Finding("numbers", "NaN" if np.isnan(got[at]) else "infinity", text, NOT_FINITE)
    question = (
        f"Can you work out this {'one entry' if got.ndim else 'number'} by hand, from the text?"
    )
    return Finding("numbers", "", text, question)


def worst_draw(part: Comparison) -> int:
    """Return the draw with the largest error; NaN has the largest of all."""
    return int(
        np.argmax([error(got, right) for got, right in zip(part.got, part.right, strict=True)])
    )


def _name(part: Comparison, inner: Comparison, worst: int, at: tuple) -> str:
    """Return the result and the place in it."""
    name = f"your {part.name}" if part.name.isidentifier() else part.name
    if at and part.entries != ():
        name = f"at {[int(i) for i in at]} {name}"
    return name if inner is part else f"{part.entries[worst % len(part.entries)]}, {name}"


def _values(part: Comparison, got: np.generic, expected: np.generic) -> str:
    """Return both numbers with as many digits as tell them apart."""
    fill_value, digits = part.case.exercise.fill_values.get(part.name), 4
    while _format_number(got, digits) == _format_number(expected, digits) and digits < MAX_DIGITS:
        digits += 1
    got_text, expected_text = (
        "nothing" if x == fill_value else _format_number(x, digits) for x in (got, expected)
    )
    return f"{got_text}, expected {expected_text}"


def _format_number(x: np.generic, digits: int) -> str:
    return "NaN" if np.isnan(x) else str(x) if x.dtype.kind in "biu" else f"{x + 0:.{digits}g}"
