"""What is seen before numbers are compared: no answer in time, no array, a second call that differs, inputs changed."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..report import Finding
from .exceptions import draws_with, raised
from .part import View


def not_an_answer(view: View) -> Finding | None:
    """Return what came instead of arrays in the right number, if anything did."""
    return next(filter(None, (check(view) for check in (raised, _timeout, _died, _none, _number, _no_array))), None)


def _timeout(view: View) -> Finding | None:
    """Say that no answer came in time."""
    found = [answer.state == "timeout" for answer in view.answers]
    if not any(found):
        return None
    error = view.answers[found.index(True)].error
    text = f"the call{draws_with(view, found)} came to {error}"
    return Finding("guard", "timeout", text, "What makes your loop end, and does that always happen?")


def _died(view: View) -> Finding | None:
    """Say that the process ended without an answer."""
    found = [answer.state == "died" for answer in view.answers]
    if not any(found):
        return None
    text = f"the process ended before the call{draws_with(view, found)} did: {view.answers[found.index(True)].error}"
    question = "How large is the largest array that you make, and does anything call exit()?"
    return Finding("guard", "died", text, question)


def _none(view: View) -> Finding | None:
    """Say that None came."""
    n = len(view.call.parts)
    if all(answer.alone and _is_none(answer.values[0]) for answer in view.answers):
        return Finding("guard", "none", "the call gave None", "Which line of your function says what is returned?")
    if all(len(answer.values) == n and _is_none(answer.values[view.index]) for answer in view.answers):
        return Finding("guard", "none", f"{view.name} is None", "Where does your function give this result a value?")
    return None


def _is_none(value: np.ndarray | str) -> bool:
    return isinstance(value, str) and value == "None"


def _number(view: View) -> Finding | None:
    """Say that too few or too many results came."""
    n, counts = len(view.call.parts), {len(answer.values) for answer in view.answers}
    if counts == {n}:
        return None
    question = "In which order does the docstring name the results, and what does your last line return?"
    came = f"{next(iter(counts - {n}))} results"
    if all(answer.alone for answer in view.answers):
        kinds = {value if isinstance(value, str) else "one array" for value in (a.values[0] for a in view.answers)}
        came = kinds.pop() if len(kinds) == 1 else "one result"
    names = ", ".join(view.call.parts)
    return Finding("guard", "number of results", f"{came} came, expected {n} results ({names})", question)


def _no_array(view: View) -> Finding | None:
    """Say that something else than an array of numbers came, or numbers instead of True and False."""
    values = [answer.values[view.index] for answer in view.answers]
    found = [isinstance(value, str) for value in values]
    if any(found):
        what = values[found.index(True)]
        text = f"{view.name}{draws_with(view, found)} is {what}, and not an array of numbers"
        question = "What does the expression that you return make: numbers, or an object that holds some?"
        return Finding("guard", "no array", text, question)
    found = [right.dtype.kind == "b" != value.dtype.kind for value, right in zip(values, view.right, strict=True)]
    if not any(found):
        return None
    text = f"{view.name} holds numbers ({values[found.index(True)].dtype}), expected True and False"
    return Finding("guard", "kind", text, "What does NumPy do with ~ or with brackets when it gets numbers?")


def not_repeated(view: View) -> Finding | None:
    """Say that a second call on the same inputs gave something else."""
    if all(answer.repeats for answer in view.answers):
        return None
    first = "the first call is right, but a second one" if view.agrees else "a second call"
    question = "What does your code keep, or draw at random, from one call to the next?"
    return Finding("guard", "second call", f"{first} with the same inputs gives something else", question)


def changed_inputs(names: Iterable[str]) -> Finding:
    """Say which arguments are no longer what came in."""
    names = sorted({*names})
    text = f"after the call {' and '.join(names)} {'is' if len(names) == 1 else 'are'} no longer what came in"
    return Finding("guard", "input_changed", text, "Which of your lines changes something that was handed to you?")
