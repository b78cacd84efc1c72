"""What is seen before any number is compared: no answer, no array, another shape or kind, NaN, inputs changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from ..execution import Answer
from ..report import Finding
from .exceptions import draws_with, guard, raised
from .part import View

LAST_BITS = 1e-12  # as a part of the largest entry


def unanswered(view: View) -> Finding | None:
    """Tell what came instead of arrays in the right number, if anything did."""
    return next(filter(None, (look(view) for look in (raised, timeout, died, none, number, no_array))), None)


def timeout(view: View) -> Finding | None:
    """Tell that no answer came in time."""
    found = [answer.state == "timeout" for answer in view.answers]
    if not any(found):
        return None
    error = view.answers[found.index(True)].error
    how = f"came to {error}" if error.startswith("no end") else "had not ended when the time was up"
    text = f"the call{draws_with(view, found)} {how}"
    return guard("timeout", text, "What makes your loop end, and does that always happen?")


def died(view: View) -> Finding | None:
    """Tell that the process ended without an answer."""
    found = [answer.state == "died" for answer in view.answers]
    if not any(found):
        return None
    error = view.answers[found.index(True)].error
    text = f"the process ended before the call{draws_with(view, found)} did" + (f": {error}" if error else "")
    return guard("died", text, "How large is the largest array that you make, and does anything call exit()?")


def none(view: View) -> Finding | None:
    """Tell that None came."""
    n = len(view.call.parts)
    if all(answer.alone and is_none(answer.values[0]) for answer in view.answers):
        return guard("none", "the call gave None", "Which line of your function says what is returned?")
    if all(len(answer.values) == n and is_none(answer.values[view.index]) for answer in view.answers):
        return guard("none", f"{view.name} is None", "Where does your function give this result a value?")
    return None


def is_none(value) -> bool:
    """Tell whether a result is the description of None."""
    return isinstance(value, str) and value == "None"


def number(view: View) -> Finding | None:
    """Tell that too few or too many results came."""
    n, counts = len(view.call.parts), {len(answer.values) for answer in view.answers}
    if counts == {n}:
        return None
    names = ", ".join(view.call.parts)
    question = "In which order does the docstring name the results, and what does your last line return?"
    if all(answer.alone for answer in view.answers):
        came = {describe(answer.values[0]) for answer in view.answers}
        one = came.pop() if len(came) == 1 else "one result"
        return guard("number of results", f"{one} came, expected {n} results ({names})", question)
    count = next(iter(counts - {n}))
    return guard("number of results", f"{count} results came, expected {n} ({names})", question)


def describe(value) -> str:
    """Return what a single result is, in words."""
    return value if isinstance(value, str) else "one array"


def no_array(view: View) -> Finding | None:
    """Tell that something else than an array of numbers came."""
    values = [answer.values[view.index] for answer in view.answers]
    found = [isinstance(value, str) for value in values]
    if not any(found):
        return None
    what = values[found.index(True)]
    return guard(
        "no array",
        f"{view.name}{draws_with(view, found)} is {what}, and no array of numbers",
        "What does the expression that you return make: numbers, or a thing that holds some?",
    )


def untrusty(view: View) -> Iterator[Finding]:
    """Yield what was seen of the call as a whole that may be the reason of wrong numbers."""
    if not all(answer.repeats for answer in view.answers):
        first = "the first call is right, but a second one" if view.agrees else "a second call"
        yield guard(
            "second call",
            f"{first} with the same inputs gives something else",
            "What does your code keep, or draw at random, from one call to the next?",
        )
    names = view.case.arguments(view.call)
    if found := changed_inputs((answer, names) for answer in view.answers):
        yield found


def changed_inputs(answers: Iterable[tuple[Answer, Mapping[str, str]]]) -> Finding | None:
    """Tell which arguments are no longer what came in, and by how much they differ.

    With each answer come the student's names of its inputs.
    """
    by: dict[str, float] = {}
    for answer, names in answers:
        for name, amount in zip(answer.changed, answer.changed_by, strict=True):
            argument = names.get(name, name).split("[")[0]
            by[argument] = max(by.get(argument, 0.0), amount)
    if not by:
        return None
    names = sorted(by)
    text = f"after the call {' and '.join(names)} {'is' if len(names) == 1 else 'are'} no longer what came in"
    if all(by[name] <= LAST_BITS for name in names):
        text += ", though in the last bits only"
    elif all(by[name] < np.inf for name in names):
        amounts = " and ".join(f"{name} by up to {by[name]:.2g}" for name in names)
        text += f": {amounts} of the largest entry"
    return guard("input_changed", text, "Which of your lines changes something that was handed to you?")
