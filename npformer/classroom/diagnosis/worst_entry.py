"""The numbers at the worst entry, where nothing else could be said."""

from __future__ import annotations

import numpy as np

from ..report import Finding
from ..tolerance import TOLERANCE, error
from .hints import by_hand
from .part import View

MOST_DIGITS = 17  # which tell any two floats apart
UNSAID = "the numbers differ"
NOTHING = "nothing"  # where a number of ours fills up what came


def numbers(view: View) -> Finding:
    """Say what came and what was expected at the entry that differs most, and how many differ."""
    inner = view.apart()
    pairs = list(zip(inner.got, inner.right, strict=True)) if view.comparable else []
    errors = [error(g, e) if g.shape == e.shape and g.size else np.inf for g, e in pairs]
    finite = [e if np.isfinite(e) else -1.0 for e in errors]
    if not finite or max(finite) <= TOLERANCE:
        return Finding("numbers", "", UNSAID)
    worst = int(np.argmax(finite))
    got, expected = pairs[worst]
    if view.entries == () and not got.ndim:
        return Finding("numbers", "", f"{view.name} is not the one expected")
    wide = got.dtype if got.dtype.kind == "c" else np.float64
    with np.errstate(invalid="ignore"):
        differences = np.where(got == expected, 0, np.abs(got.astype(wide) - expected))
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0) or 1.0
    at = np.unravel_index(int(np.nanargmax(differences)), got.shape)
    place, behind = f"at {[int(i) for i in at]} " if at else "", ""
    if at and view.entries == ():
        place, behind = "", f" {view.case.words_for(view.name, view.drawn[worst])[np.ravel_multi_index(at, got.shape)]}"
    if inner is not view:
        place = f"{view.entries[worst % len(view.entries)]} {place}"
    whose = f"your {view.name}" if view.name.isidentifier() else view.name
    filled, digits = view.case.exercise.filled.get(view.name), 4
    while shown(got[at], digits) == shown(expected[at], digits) and digits < MOST_DIGITS:
        digits += 1
    came, wanted = (NOTHING if x[at] == filled else shown(x[at], digits) for x in (got, expected))
    text = f"{place}{whose} has {came}, expected {wanted}{behind}"
    if got.size > 1:
        text += f"; {int((differences > TOLERANCE * scale).sum())} of {got.size} entries differ"
    question = by_hand(view.case.exercise, view.call, "one entry" if got.ndim else "number")
    return Finding("numbers", "", text, question)


def shown(x, digits: int) -> str:
    """Return a number as it is told."""
    return str(x) if x.dtype.kind in "biu" else f"{x:.{digits}g}"
