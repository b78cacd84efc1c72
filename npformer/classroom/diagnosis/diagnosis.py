"""The reason why a part is wrong: the first step that finds one."""

from __future__ import annotations

import numpy as np

from ...testing import diagnose as facts
from ...testing.mismatch import Fact
from ..report import Finding
from .mistakes import known_mistake
from .output_checks import not_an_answer, not_repeated
from .part import N_MANY, View
from .questions import QUESTIONS, question
from .shapes import wrong_shape
from .swapped_results import swapped
from .worst_entry import UNSAID, numbers


def explain(view: View) -> Finding:
    """Return what is found out about a part that is not right.

    A known mistake comes before the shape, since a mistake may change the shape.
    """
    steps = (not_an_answer, swapped, known_mistake, wrong_shape, not_repeated, fact, numbers)
    with np.errstate(all="ignore"):
        try:
            return next(filter(None, (step(view) for step in steps)))
        except Exception:  # a student's arrays must never stop a grading
            return Finding("numbers", "", UNSAID)


def fact(view: View) -> Finding | None:
    """Return how the numbers of this part are related to the right ones, the same on all draws and further ones."""
    if view.entries:
        return _fact_of_entries(view)
    found = _fact(view) and (more := view.with_more()) and _lasting_fact(more)
    return Finding("fact", found.id, f"{view.name} {found.text}", question(view, found)) if found else None


def _lasting_fact(more: View, which: list[int] | None = None) -> Fact | None:
    """Return the first fact of these draws; on many more it must hold too if it names a place or is of single numbers.

    Few wrong entries are easily at one place by chance, and a single number has a factor by chance.
    """
    found = _fact(more.apart(which))
    numbers_alone = all(e.size == 1 for e in more.apart(which).right)
    if found is None or not (found.id.startswith("only") or numbers_alone):
        return found
    many = more.with_more(N_MANY)
    return many and _fact(many.apart(which))


def _fact(view: View) -> Fact | None:
    """Return the first fact that holds on every draw."""
    wrong = view.wrong()
    return facts.find(wrong) if wrong else None


def _fact_of_entries(view: View) -> Finding | None:
    """Return which of the named entries of a result are wrong, and what holds there."""
    more, names = view.with_more(), view.entries
    if more is None or more.apart() is more:
        return None
    bad = [k for k in range(len(names)) if not more.apart([k]).agrees]
    found = _lasting_fact(more, bad)
    if found and "factor" not in found.id and all(e.size == 1 for e in more.apart().right):
        found = None  # a single number has such a relation by chance
    if len(bad) == len(names):
        return Finding("fact", found.id, f"{view.name} {found.text}", question(view, found)) if found else None
    good = _listed([name for k, name in enumerate(names) if k not in bad])
    wrong = _listed([names[k] for k in bad])
    text = f"{view.name} is right {good}, and wrong {wrong}" + (f", where it {found.text}" if found else "")
    return Finding("fact", f"only {wrong}", text, question(view, found) if found else QUESTIONS["only"])


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
