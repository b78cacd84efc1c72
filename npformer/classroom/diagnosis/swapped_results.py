"""Two results of a call in each other's place."""

from __future__ import annotations

from dataclasses import replace

from ..report import Finding
from .mistakes import known_mistake
from .part import View


def swapped(view: View) -> Finding | None:
    """Say that two results are exchanged, unless one known mistake explains both."""
    other = next((replace(view, index=j) for j in range(len(view.call.parts)) if _exchanged(view, j)), None)
    if other is None:
        return None
    both = known_mistake(view), known_mistake(other)
    if all(both) and both[0].id == both[1].id:
        return None
    question = "In which order does the docstring name the results?"
    return Finding("guard", "exchanged", f"{view.name} and {other.name} are exchanged", question)


def _exchanged(view: View, j: int) -> bool:
    """Tell whether this result and result j came in each other's place, and were not 0 throughout."""
    other = replace(view, index=j)
    return not view.agrees and all(
        one.fits(values) and any(value.any() for value in values)
        for one, values in ((view, other.right), (other, view.right))
    )
