"""When the right array is a sum of named terms, and one of them is missing, stands twice or has a factor."""

from __future__ import annotations

import numpy as np

from .mismatch import TOLERANCE, Fact, Wrong, agree
from .wrong_scale import names

MOST_WRONG = 2
HOW = {0: "is missing", 2: "stands twice", -1: "has the wrong sign"}


def terms(wrong: Wrong) -> Fact | None:
    """Tell which of the named terms are not in the array once, and what they are instead."""
    times = coefficients(wrong)
    if times is None:
        return None
    known = list(wrong.terms[0])
    off = [i for i in range(len(known)) if (np.abs(times[:, i] - 1) > TOLERANCE).any()]
    if not 0 < len(off) <= min(MOST_WRONG, len(known) - 1):
        return None
    said = [(known[i], how_often(wrong, times[:, i])) for i in off]
    if not all(how for _, how in said):
        return None
    id = ", ".join(f"{name} {how}" for name, how in said)
    text = ", and ".join(f'the term "{name}" {how}' for name, how in said)
    return Fact(f"term: {id}", f"is a sum in which {text}")


def how_often(wrong: Wrong, times: np.ndarray) -> str:
    """Return in words how often a term is in the array, where it is a whole number or has a name on every draw."""
    whole = int(np.round(times[0]))
    if (np.abs(times - whole) <= TOLERANCE).all():
        sign = ", with the wrong sign" if whole < 0 else ""
        return HOW.get(whole, f"stands {abs(whole)} times{sign}")
    sign = "the wrong sign and " if (times < 0).all() else ""
    found = names(wrong, times) if sign or (times > 0).all() else {}
    return f"has {sign}a factor {next(iter(found))} too many" if found else ""


def coefficients(wrong: Wrong) -> np.ndarray | None:
    """Return how often each term is in the array, a row a draw, or None where it is no sum of them."""
    if not wrong.terms or len(wrong.terms[0]) < 2:
        return None
    rows = []
    for got, expected, drawn in zip(wrong.got, wrong.expected, wrong.terms, strict=True):
        parts = [np.broadcast_to(term, expected.shape) for term in drawn.values()]
        if got.shape != expected.shape or not agree(sum(parts), expected):
            return None
        scale = np.abs(expected).max(initial=0.0) or 1.0
        columns = np.stack([part.ravel() for part in parts], -1) / scale
        found, _, rank, _ = np.linalg.lstsq(columns, got.ravel() / scale, rcond=1e-9)
        if rank < len(parts) or not agree(got, sum(c * part for c, part in zip(found, parts, strict=True))):
            return None
        rows.append(found)
    return np.array(rows)
