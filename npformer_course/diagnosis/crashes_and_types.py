"""What is seen before numbers are compared: exceptions, time-outs, results that are not arrays, changed inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..execution import Answer
from ..exercise import Exercise
from ..report import Finding
from ..tolerance import same_kind
from .comparison import Comparison

BY_MESSAGE = {  # a pattern in the exception's text; comes before its kind
    "truth value of an array": "Which of the values in that line is an array, and of which of its entries do you ask?",
    "einstein sum": "How many axes has each array of that line, and for how many does your pattern have letters?",
    "matmul|remapped|not aligned": "Which two axes meet in that product, and are all before the last two equal, or 1?",
    "broadcast": "Write the two shapes below each other, flush right. Which pair of axes is neither equal nor 1?",
    "values to unpack": "How many names stand on the left of that line, and how many values come from the right?",
    "cannot reshape": "How many numbers does that array have, and how many fit into the shape that you name?",
    "must match exactly": "Along which axis are the arrays of that line joined, and are all their other axes equal?",
    "array element with": "Which shape has each thing that goes into that array, and which does its place there have?",
    r"zip\(\)": "How long is each of the things that go side by side in that line, and why?",
    "(is|an|from) empty|zero-size": "When is there nothing to choose from in that line, and what should come out then?",
    " argument|nterpret|integer scalar": "Which arguments does the function of that line take, and which does it get?",
    "math domain": "For which numbers does that function of the math module have no value, and can they occur here?",
    "is the definition": "What does the loop do at each step, and which operation does that for whole arrays?",
}
BY_KIND = {
    "NameError": "Is the name spelt as where it was made, and was it made on every way to this line?",
    "ValueError": "Print all that goes into that line: which value can it not work with, and why?",
    "IndexError": "How long is each axis of the array of that line, and with what is it indexed?",
    "TypeError": "Print the type of each value in that line: which is not what you thought?",
}
BROKEN = {  # of a file that is not Python
    "SyntaxError": "Read that line and the one above it: is every bracket closed, every colon there?",
    "IndentationError": "Which line above it does that line belong to, and do both begin where they should?",
    "TabError": "Which of these lines begin with tabs, and which with spaces?",
}


def not_an_answer(part: Comparison) -> Finding | None:
    """Return what came instead of arrays in the right number, if anything did."""
    return next(
        filter(None, (check(part) for check in (_raised, _ended, _none, _number, _no_array))), None
    )


def _draws_with(part: Comparison, flags: list[bool]) -> str:
    """Return words for the sizes at which something was found, empty where it was on every draw."""
    if all(flags):
        return ""
    return f" with {sizes}" if (sizes := _sizes(part, flags)) else " on some inputs"


def _sizes(part: Comparison, flags: list[bool]) -> str:
    """Return the sizes of the first draw on which something was found."""
    return ", ".join(
        f"{letter} = {size}" for letter, size in part.draws[flags.index(True)].sizes.items()
    )


def _raised(part: Comparison) -> Finding | None:
    """Say which exception ended the call, in which line, and at which sizes."""
    flags = [answer.state == "raised" for answer in part.answers]
    if not any(flags):
        return None
    answer = part.answers[flags.index(True)]
    kind = answer.error.split(":")[0]
    if answer.frames[0][0] == "<module>" if answer.frames else kind in BROKEN:
        text = f"the file cannot be loaded: line {answer.line} ends with {answer.error}"
        question = BROKEN.get(kind, "What should that line do before any function is called?")
        return Finding("guard", f"raised {kind}", text, question)
    where = (
        f" in line {answer.line}{_called_from(part.case.exercise, answer)}" if answer.line else ""
    )
    here = f" (here {sizes})" if all(flags) and (sizes := _sizes(part, flags)) else ""
    text = f"the call{_draws_with(part, flags)} ended{where} with {answer.error}{here}"
    fitting = (question for words, question in BY_MESSAGE.items() if re.search(words, answer.error))
    question = next(
        fitting, BY_KIND.get(kind, "What are the values in that line when it is reached?")
    )
    return Finding("guard", f"raised {kind}", text, question)


def _called_from(exercise: Exercise, answer: Answer) -> str:
    """Return the student's own line that led there, where an exception came out of code that was given."""
    given_functions = exercise.given_functions
    if not answer.frames or answer.frames[-1][0] not in given_functions:
        return ""
    own = [line for name, line in answer.frames if name not in given_functions]
    return f" (of {answer.frames[-1][0]}, called from your line {own[-1]})" if own else ""


def _ended(part: Comparison) -> Finding | None:
    """Say that no answer came in time, or that the process ended without one."""
    for state, how, question in (
        ("timeout", "came to", "What makes your loop end, and does that always happen?"),
        (
            "died",
            "gave no answer:",
            "How large is the largest array that you make, and does anything call exit()?",
        ),
    ):
        flags = [answer.state == state for answer in part.answers]
        if any(flags):
            text = (
                f"the call{_draws_with(part, flags)} {how} {part.answers[flags.index(True)].error}"
            )
            return Finding("guard", state, text, question)
    return None


def _none(part: Comparison) -> Finding | None:
    """Say that None came."""
    n = len(part.call.parts)
    if all(answer.is_single and str(answer.values[0]) == "None" for answer in part.answers):
        return Finding(
            "guard",
            "none",
            "the call gave None",
            "Which line of your function says what is returned?",
        )
    if all(
        len(answer.values) == n and str(answer.values[part.index]) == "None"
        for answer in part.answers
    ):
        return Finding(
            "guard",
            "none",
            f"{part.name} is None",
            "Where does your function give this result a value?",
        )
    return None


def _number(part: Comparison) -> Finding | None:
    """Say that too few or too many results came."""
    n, counts = len(part.call.parts), {len(answer.values) for answer in part.answers}
    if counts == {n}:
        return None
    question = (
        "In which order does the docstring name the results, and what does your last line return?"
    )
    came = "one result" if counts == {1} else f"{next(iter(counts - {n}))} results"
    names = ", ".join(part.call.parts)
    return Finding(
        "guard", "number of results", f"{came} came, expected {n} results ({names})", question
    )


def _no_array(part: Comparison) -> Finding | None:
    """Say that something else than an array of numbers came, or numbers of another kind than expected."""
    values = [answer.values[part.index] for answer in part.answers]
    flags = [isinstance(value, str) for value in values]
    if any(flags):
        text = f"{part.name}{_draws_with(part, flags)} is {values[flags.index(True)]}, and not an array of numbers"
        question = (
            "What does the expression that you return make: numbers, or an object that holds some?"
        )
        return Finding("guard", "no array", text, question)
    flags = [not same_kind(value, right) for value, right in zip(values, part.right, strict=True)]
    if not any(flags):
        return None
    value = values[flags.index(True)]
    expected, question = (
        "True and False",
        "What does NumPy do with ~ or with brackets when it gets numbers?",
    )
    if value.dtype.kind == "c":
        expected, question = "real ones", "Which of your lines makes complex numbers of real ones?"
    return Finding(
        "guard", "kind", f"{part.name} holds numbers ({value.dtype}), expected {expected}", question
    )


def not_repeated(part: Comparison) -> Finding | None:
    """Say that a second call on the same inputs gave something else."""
    if all(answer.repeats for answer in part.answers):
        return None
    first = (
        "the first call is right, but a second one" if part.fits(part.right) else "a second call"
    )
    question = "What does your code keep, or draw at random, from one call to the next?"
    return Finding(
        "guard", "second call", f"{first} with the same inputs gives something else", question
    )


def changed_inputs(names: Iterable[str]) -> Finding:
    """Say which arguments are no longer what came in."""
    names = sorted({*names})
    text = f"after the call {' and '.join(names)} {'is' if len(names) == 1 else 'are'} no longer what came in"
    return Finding(
        "guard",
        "input_changed",
        text,
        "Which of your lines changes something that was handed to you?",
    )
