"""Why an answer is wrong: guards, named mistakes, facts, ablation, and then the numbers; the first that speaks."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from ...proofs import facts
from ...proofs.comparisons import Fact
from ..answers import Answer
from ..cases import Case
from ..exercise import Call
from ..findings import Finding
from .ablation import ablated
from .exchanges import exchanged, swapped
from .guards import unanswered, untrusty
from .kinds import kind, not_finite
from .mistakes import gradient_of_wrong_forward, named
from .numbers import UNSAID, numbers
from .other_axes import other_axis
from .pairs import two_at_once
from .shapes import shape
from .views import N_MANY, View, seen
from .what_if import what_if


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

    An exception or another shape is said first. NaN, another kind of numbers and changed inputs are said only where no
    mistake is named, since a mistake may bring them about.
    """
    if found := unanswered(view) or shape(view.apart()) or swapped(view) or named(view):
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
    )
    return next(filter(None, (look(view) for look in looks)), None) or numbers(view)


def fact(view: View) -> Finding | None:
    """Return what the numbers of this part have to do with the right ones."""
    if view.entries:
        return fact_of_entries(view)
    found = found_in(view) and (more := view.with_more()) and lasting(more)
    return Finding("fact", found.id, f"{view.name} {found.text}", question(found)) if found else None


def lasting(more: View, which: list[int] | None = None) -> Fact | None:
    """Return the first fact that holds on these draws, and on many more if it names a place.

    Where little is wrong, it is wrong at one place only by luck: in the rows of ids that repeat, say, since the last id
    stood there twice each time.
    """
    found = found_in(more.apart(which))
    if found is None or not found.id.startswith("only"):
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
        return Finding("fact", found.id, f"{view.name} {found.text}", question(found)) if found else None
    good = listed([name for k, name in enumerate(names) if k not in bad])
    text = f"{view.name} is right {good}, and wrong {listed([names[k] for k in bad])}"
    text += f", where it {found.text}" if found else ""
    id = "only " + listed([names[k] for k in bad])
    return Finding("fact", id, text, question(found) if found else QUESTIONS["only"])


def listed(names: list[str]) -> str:
    """Return words with commas and an "and"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def question(found: Fact) -> str:
    """Return what to ask about a fact."""
    if "as if a mean" in found.text or re.fullmatch(r"factor 1/\(?[A-Z]( \* [A-Z])*\)?", found.id):
        return "Over which axes did you average, and does each sentence count on its own?"
    if re.fullmatch(r"factor [A-Z]( \* [A-Z])*", found.id):
        return "Over which axes did you sum, and where does the formula divide by how many there are?"
    if found.id.startswith("term: "):
        return next(ask for words, ask in QUESTIONS_OF_TERMS.items() if words in found.id)
    return next((ask for start, ask in QUESTIONS.items() if found.id.startswith(start)), "")


QUESTIONS_OF_TERMS = {
    "is missing": "Along how many ways does this input move the loss, and which of them have you followed?",
    "stands": "Along how many ways does this input move the loss, and how often have you followed each?",
    "sign": "Which sign does this term have in the formula?",
    "": "By what is this term multiplied in your code, and by what in the formula?",
}
QUESTIONS = {
    "close": "Was it computed in float32, or is a small number added somewhere?",
    "zeros": "Is the array ever filled after it was made?",
    "is ": "Which step of the formula has your function not done yet?",
    "sign": "Does the loss grow or fall when this input grows a little?",
    "minus factor": "Does the loss grow or fall when this input grows a little, and how fast?",
    "factor 1/sqrt": "Which root stands in the formula, of which size, and how often does it act?",
    "factor sqrt": "Which root stands in the formula, of which size, and how often does it act?",
    "factor 2": "Which way have you counted twice?",
    "factor": "Which number of the formula have you left out, or used twice?",
    "times": "How often does this factor act between the input and the loss?",
    "divided by": "How often does this factor act between the input and the loss?",
    "transposed": "What does each axis of your product stand for?",
    "reshaped": "Reshape reads the numbers as they lie. Does it ever exchange two axes?",
    "reversed": "In which order do you go through that axis?",
    "other places": "Which line moves numbers, and do they arrive where they should?",
    "moved": "Does your counting start at the index that the text means?",
    "sum": "Which axis should still be there after that sum?",
    "mean": "Which axis should still be there after that mean?",
    "plus": "Which ways lead from this input to the loss, and have you counted one too many?",
    "minus": "Which ways lead from this input to the loss, and have you counted them all?",
    "off by": "Where does the count or the sum start?",
    "only at padding": "What should a position that holds no word send back?",
    "only where the mask": "At which point does your code know the mask, and what comes after it?",
    "only in rows without": "What should a row give in which nothing may be seen?",
    "only at repeated": "Two positions send a gradient to the same row. What becomes of the first?",
    "only in the row of padding": "Should the vector of padding ever be trained?",
    "only on the diagonal": "What is special where an output meets the input of its own place?",
    "only": "What is special about these entries: which of your lines treats them differently?",
}
