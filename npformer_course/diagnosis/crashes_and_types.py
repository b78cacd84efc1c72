"""Findings before numbers are compared: exceptions, time-outs, no arrays, changed inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..definition import Exercise
from ..execution import CELL, Answer
from ..report import Finding
from ..tolerance import same_kind
from .comparison import Comparison

BY_MESSAGE = {  # a pattern in the exception's text; comes before its kind
    "truth value of an array": (
        "Which of the values in that line is an array, and of which of its entries do you ask?"
    ),
    "einstein sum": (
        "How many axes has each array of that line, and for how many does your pattern have "
        "letters?"
    ),
    "matmul|remapped|not aligned": (
        "Which two axes meet in that product, and are all before the last two equal, or 1?"
    ),
    "broadcast": (
        "Write the two shapes below each other, flush right. Which pair of axes is neither "
        "equal nor 1?"
    ),
    "read-only": (
        "Which call returned the array that this line changes in place, and who else uses the "
        "numbers in it?"
    ),
    "values to unpack": (
        "How many names stand on the left of that line, and how many values come from the right?"
    ),
    "cannot reshape": (
        "How many numbers does that array have, and how many fit into the shape that you name?"
    ),
    "must match exactly": (
        "Along which axis are the arrays of that line joined, and are all their other axes equal?"
    ),
    "array element with": (
        "Which shape has each thing that goes into that array, and which does its place there have?"
    ),
    r"zip\(\)": "How long is each of the things that go side by side in that line, and why?",
    "(is|an|from) empty|zero-size": (
        "When is there nothing to choose from in that line, and what should come out then?"
    ),
    " argument|nterpret|integer scalar": (
        "Which arguments does the function of that line take, and which does it get?"
    ),
    "math domain": (
        "For which numbers does that function of the math module have no value, and can they "
        "occur here?"
    ),
    "is the definition": (
        "What does the loop do at each step, and which operation does that for whole arrays?"
    ),
}
BY_KIND = {
    "ModuleNotFoundError": (
        "Is this package installed where the check runs, and does the text need more than NumPy?"
    ),
    "NameError": (
        "Is the name spelt as where it was made, and was it made on every way to this line? In a "
        "notebook, did you run the first cell, which imports?"
    ),
    "ValueError": "Print all that goes into that line: which value can it not work with, and why?",
    "IndexError": "How long is each axis of the array of that line, and with what is it indexed?",
    "KeyError": "Print the names in the dict of that line: where should the missing one come from?",
    "TypeError": "Print the type of each value in that line: which is not what you thought?",
}
BROKEN = {  # of a file that is not Python
    "SyntaxError": (
        "Read that line and the one above it: is every bracket closed, every colon there?"
    ),
    "IndentationError": (
        "Which line above it does that line belong to, and do both begin where they should?"
    ),
    "TabError": "Which of these lines begin with tabs, and which with spaces?",
}
AT_LOADING = {
    **BROKEN,
    "ModuleNotFoundError": (
        "Is that module installed? The file is run in an empty folder, without your other files."
    ),
}


def not_an_answer(comparison: Comparison) -> Finding | None:
    """Return what came instead of arrays in the right number, if anything did."""
    # each relies on those before it: a call that ended early has no values to look at, and only
    # with as many results as expected is there one of this part
    for check in (_raised, _ended, _none, _number, _no_array, _other_kind):
        finding = check(comparison)
        if finding:
            return finding
    return None


def _draws_with(comparison: Comparison, flags: Sequence[bool]) -> str:
    """Return words for the sizes at which something was found, empty where on every draw."""
    if all(flags):
        return ""
    sizes = _sizes(comparison, flags)
    return f" with {sizes}" if sizes else " on some inputs"


def _in_state(comparison: Comparison, state: str) -> list[bool]:
    """Return for each draw whether the call is in a state."""
    return [answer.state == state for answer in comparison.answers]


def _sizes(comparison: Comparison, flags: Sequence[bool]) -> str:
    """Return the sizes of the first draw on which something was found."""
    return comparison.sizes_text(flags.index(True))


def _raised(comparison: Comparison) -> Finding | None:
    """Say which exception ended the call, in which line, and at which sizes."""
    flags = _in_state(comparison, "raised")
    if not any(flags):
        return None
    answer = comparison.answers[flags.index(True)]
    kind = answer.error.split(":")[0]
    id = f"raised {kind}"
    # loading runs the file's own lines; a SyntaxError comes before any line
    if answer.frames:
        cannot_load = answer.frames[0][0] == "<module>"
    else:
        cannot_load = kind in BROKEN
    if cannot_load:
        place = answer.place or "it"  # Python names no line for a file that has a NUL in it
        what = "the file cannot be loaded"
        if CELL.search(place):
            what = "the cell of the function cannot be run"
        text = f"{what}: {place} ends with {answer.error}"
        question = AT_LOADING.get(kind, "What should that line do before any function is called?")
        return Finding("guard", id, text, question)

    where = ""
    if answer.place:
        where = f" in {answer.place}{_called_from(comparison.case.exercise, answer)}"
    text = f"the call{_draws_with(comparison, flags)} ended{where} with {answer.error}"
    # where every draw ends so the sizes are no condition, but they help to follow it by hand
    sizes = _sizes(comparison, flags)
    if all(flags) and sizes:
        text += f" (here {sizes})"
    return Finding("guard", id, text, question_about(answer.error, kind))


def question_about(error: str, kind: str) -> str:
    """Return the question that goes with an exception."""
    for words, question in BY_MESSAGE.items():
        if re.search(words, error):
            return question
    return BY_KIND.get(kind, "What are the values in that line when it is reached?")


def _called_from(exercise: Exercise, answer: Answer) -> str:
    """Return the student's own line that led to code that was given, where the exception rose."""
    given = exercise.given_functions
    if not answer.frames:
        return ""
    innermost, _ = answer.frames[-1]
    own_place = ""
    for name, place in answer.frames:
        if name not in given:
            own_place = place  # the last one remains, the nearest to the exception
    if innermost not in given or not own_place:
        return ""
    return f" (of {innermost}, called from your {own_place})"


def _ended(comparison: Comparison) -> Finding | None:
    """Say that no answer came in time, or that the process ended without one."""
    question = "What makes your loop end, or what else takes so long, an import perhaps?"
    finding = _ended_by(comparison, "timeout", "came to", question)
    if finding:
        return finding
    question = "How large is the largest array that you make, and does anything call exit()?"
    return _ended_by(comparison, "died", "gave no answer:", question)


def _ended_by(comparison: Comparison, state: str, how: str, question: str) -> Finding | None:
    flags = _in_state(comparison, state)
    if not any(flags):
        return None
    error = comparison.answers[flags.index(True)].error
    text = f"the call{_draws_with(comparison, flags)} {how} {error}"
    return Finding("guard", state, text, question)


def _none(comparison: Comparison) -> Finding | None:
    """Say that None came."""
    n = len(comparison.call.parts)
    index = comparison.index
    answers = comparison.answers
    # on every draw: None on some of them is left to the checks after this one, which say on which
    if all(answer.is_single and _is_none(answer, 0) for answer in answers):
        question = "Which line of your function says what is returned?"
        return Finding("guard", "none", "the call gave None", question)
    if all(len(answer.values) == n and _is_none(answer, index) for answer in answers):
        question = "Where does your function give this result a value?"
        return Finding("guard", "none", f"{comparison.name} is None", question)
    return None


def _is_none(answer: Answer, index: int) -> bool:
    return str(answer.values[index]) == "None"


def _number(comparison: Comparison) -> Finding | None:
    """Say that too few or too many results came."""
    n = len(comparison.call.parts)
    counts = {len(answer.values) for answer in comparison.answers}
    if counts == {n}:
        return None
    # the number may differ from draw to draw: a wrong one is named
    came = "one result"
    if counts != {1}:
        came = f"{next(iter(counts - {n}))} results"
    names = ", ".join(comparison.call.parts)
    text = f"{came} came, expected {n} results ({names})"
    question = (
        "In which order does the docstring name the results, and what does your last line return?"
    )
    return Finding("guard", "number of results", text, question)


def _no_array(comparison: Comparison) -> Finding | None:
    """Say that something else than an array of numbers came."""
    flags = []
    descriptions = []
    for answer in comparison.answers:
        value = answer.values[comparison.index]
        flags.append(isinstance(value, str))
        if isinstance(value, str):
            descriptions.append(value)
    if not descriptions:
        return None
    came = descriptions[0]
    where = _draws_with(comparison, flags)
    text = f"{comparison.name}{where} is {came}"
    # an array of numbers, but of far too many
    if came.endswith(" numbers"):
        question = "What is the shape of what you return, and which one does the docstring give?"
        return Finding("guard", "no array", f"{text}, far too many", question)

    question = (
        "What does the expression that you return make: numbers, or an object that holds some?"
    )
    return Finding("guard", "no array", f"{text}, and not an array of numbers", question)


def _other_kind(comparison: Comparison) -> Finding | None:
    """Say that numbers of another kind than expected came."""
    for got, right in comparison.pairs:
        if same_kind(got, right):
            continue
        if got.dtype.kind == "c":
            expected = "real ones"
            question = "Which of your lines makes complex numbers of real ones?"
        else:
            expected = "True and False"
            question = "What does NumPy do with ~ or with brackets when it gets numbers?"
        text = f"{comparison.name} holds numbers ({got.dtype}), expected {expected}"
        return Finding("guard", "kind", text, question)
    return None


def not_repeated(comparison: Comparison) -> Finding | None:
    """Say that a second call on the same inputs gave something else."""
    if all(answer.repeats for answer in comparison.answers):
        return None
    which = "a second call"
    if comparison.fits(comparison.right):
        which = "the first call is right, but a second one"
    text = f"{which} with the same inputs gives something else"
    question = "What does your code keep, or draw at random, from one call to the next?"
    return Finding("guard", "second call", text, question)


def changed_inputs(names: Iterable[str]) -> Finding:
    """Say which arguments are no longer what came in."""
    changed = sorted(set(names))
    verb = "is" if len(changed) == 1 else "are"
    text = f"after the call {' and '.join(changed)} {verb} no longer what came in"
    question = "Which of your lines changes something that was handed to you?"
    if "holds another" in text:
        question = (
            "Which of your lines puts something into a list that was handed to you? "
            "And whose are the lists in a copy of a dict?"
        )
    return Finding("guard", "input_changed", text, question)
