"""Why an answer is wrong: guards, named mistakes, facts, ablation, and then the numbers; the first that speaks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...testing import diagnose as facts
from ...testing.mismatch import Fact
from ..execution import Answer
from ..exercise import Call
from ..exercise_at_seed import Case
from ..report import Finding
from .ablation import ablated
from .dtypes import kind, not_finite
from .ignored_inputs import unfelt
from .mistake_pairs import two_at_once
from .mistakes import gradient_of_wrong_forward, named
from .output_checks import unanswered, untrusty
from .part import N_MANY, View, seen
from .perturbed_inputs import what_if
from .questions import QUESTIONS, question
from .shapes import shape
from .swapped_results import exchanged, swapped
from .worst_entry import UNSAID, numbers
from .wrong_axis import other_axis


def explain(case: Case, call: Call, index: int, answers: dict[str, list[Answer]], again: Callable) -> Finding:
    """Return what is found out about a part that is not right; `again(jobs)` runs the answer on other draws."""
    view = seen(case, call, index, answers[call.name], again)
    with np.errstate(all="ignore"):
        try:
            return diagnosed(view, answers)
        except Exception:  # whatever a student's arrays bring about here must cost neither them nor the class a grade
            return Finding("numbers", "", UNSAID)


def diagnosed(view: View, answers: dict[str, list[Answer]]) -> Finding:
    """Return what the first step that speaks has found.

    An exception is said first. Another shape, NaN, another kind of numbers and changed inputs are said only where no
    mistake is named, since a mistake may bring them about.
    """
    if found := unanswered(view) or swapped(view) or named(view) or shape(view.apart()):
        return found
    if found := kind(view) or not_finite(view.apart()) or next(untrusty(view), None):
        return found
    looks = (
        exchanged,
        lambda view: gradient_of_wrong_forward(view, answers),
        fact,
        what_if,
        other_axis,
        two_at_once,
        ablated,
        unfelt,
    )
    return next(filter(None, (look(view) for look in looks)), None) or numbers(view)


def fact(view: View) -> Finding | None:
    """Return what the numbers of this part have to do with the right ones."""
    if view.entries:
        return fact_of_entries(view)
    found = found_in(view) and (more := view.with_more()) and lasting(more)
    return Finding("fact", found.id, f"{view.name} {found.text}", question(view, found)) if found else None


def lasting(more: View, which: list[int] | None = None) -> Fact | None:
    """Return the first fact that holds on these draws, and on many more if it names a place or is of single numbers.

    Where little is wrong, it is wrong at one place only by luck: in the rows of ids that repeat, say, since the last id
    stood there twice each time. So is a factor that a number has before a border and not behind it.
    """
    found = found_in(more.apart(which))
    numbers_alone = all(e.size == 1 for e in more.apart(which).right)
    if found is None or not (found.id.startswith("only") or numbers_alone):
        return found
    many = more.with_more(N_MANY)
    return many and found_in(many.apart(which))


def found_in(view: View) -> Fact | None:
    """Return the first fact that holds on every draw."""
    wrong = view.wrong()
    return facts.find(wrong) if wrong else None


def fact_of_entries(view: View) -> Finding | None:
    """Tell at which of its named entries a result is wrong, and what holds there."""
    more, names = view.with_more(), view.entries
    if more is None or more.apart() is more:
        return None
    bad = [k for k in range(len(names)) if not more.apart([k]).agrees]
    found = lasting(more, bad)
    if found and "factor" not in found.id and all(e.size == 1 for e in more.apart().right):
        found = None  # of a single number little can be told
    if len(bad) == len(names):
        return Finding("fact", found.id, f"{view.name} {found.text}", question(view, found)) if found else None
    good = listed([name for k, name in enumerate(names) if k not in bad])
    text = f"{view.name} is right {good}, and wrong {listed([names[k] for k in bad])}"
    text += f", where it {found.text}" if found else ""
    id = "only " + listed([names[k] for k in bad])
    return Finding("fact", id, text, question(view, found) if found else QUESTIONS["only"])


def listed(names: list[str]) -> str:
    """Return words with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
