"""When a result of a call stands in the place of another."""

from __future__ import annotations

from dataclasses import replace

from ..report import Finding
from .mistakes import named
from .part import View


def exchanged(view: View) -> Finding | None:
    """Tell that another result of the same call came, all right but for its place."""
    names, question = list(view.call.parts), "In which order does the docstring name the results?"
    if (j := partner(view)) is not None:
        return Finding("guard", "exchanged", f"{view.name} and {names[j]} are exchanged", question)
    others = [j for j in range(len(names)) if j != view.index and is_result(view, j)]
    if view.agrees or not others:
        return None
    return Finding("guard", "another result", f"{view.name} is what {names[others[0]]} should be", question)


def partner(view: View) -> int | None:
    """Return the result with which this one is exchanged."""
    if view.agrees or not view.comparable:
        return None
    for j in range(len(view.call.parts)):
        back = replace(view, index=j)
        if j != view.index and back.comparable and is_result(view, j) and is_result(back, view.index):
            return j
    return None


def is_result(view: View, j: int) -> bool:
    """Tell whether the right values of result j came, which say something."""
    theirs = [values[j] for values in view.expected]
    return view.fits(theirs) and any(t.any() for t in theirs)


def swapped(view: View) -> Finding | None:
    """Return that two results are exchanged, where no mistake explains both."""
    other = partner(view)
    if other is None:
        return None
    both = named(view), named(replace(view, index=other))
    return None if all(both) and both[0].id == both[1].id else exchanged(view)
