"""Exceptions that ended a call: the line of the student's, the sizes, and a question."""

from __future__ import annotations

import ast

from ..cells import functions_in
from ..execution import Answer
from ..exercise import Exercise
from ..report import Finding
from .part import View

BY_MESSAGE = {  # a part of the exception's text; comes before its kind
    "truth value of an array": "Which of the values in that line is an array, and of which of its entries do you ask?",
    "inhomogeneous shape": "Which lists become one array in that line, and which lengths do they have?",
    "broadcast": "Write the two shapes below each other, flush right. Which pair of axes is neither equal nor 1?",
    "values to unpack": "How many names stand on the left of that line, and how many values come from the right?",
    "matmul": "Which two axes meet in that product: the last of the left one, and which of the right one?",
    "not aligned": "Which two axes meet in that product: the last of the left one, and which of the right one?",
    "cannot reshape": "How many numbers does that array have, and how many fit into the shape that you name?",
    "positional argument": "Which arguments does the function of that line take, and which does it get?",
    "keyword argument": "Which arguments does the function of that line take, and which does it get?",
    "Cannot cast": "Of which kind are the numbers on both sides of that line: whole ones, or floats?",
    "read-only": "Is the array that this line writes into your own, or a view that others look at too?",
}
BY_KIND = {
    "NameError": "Is the name spelt as where it was made, and was it made on every way to this line?",
    "ValueError": "Write the shape of each array beside that line: which axis does not fit its partner?",
    "IndexError": "Which lengths can the array of that line have, and which indices are there?",
    "TypeError": "Print the type of each value in that line: which is not what you thought?",
    "AttributeError": "Print the type of what stands before the dot in that line. Is it an array?",
    "ZeroDivisionError": "For which inputs is the divisor of that line 0?",
    "MemoryError": "How large is the array of that line, and which of its axes does the result not have?",
    "RecursionError": "When does your function stop calling itself?",
}
BROKEN = {  # of a file that is not Python
    "SyntaxError": "Read that line and the one above it: is every bracket closed, every colon there?",
    "IndentationError": "Which line above it does that line belong to, and do both begin where they should?",
    "TabError": "Which of these lines begin with tabs, and which with spaces?",
}


def draws_with(view: View, found: list[bool]) -> str:
    """Return words for the sizes at which something was found, empty where it was on every draw."""
    if all(found):
        return ""
    sizes = _sizes(view, found)
    return f" with {sizes}" if sizes else " on some inputs"


def _sizes(view: View, found: list[bool]) -> str:
    """Return the sizes of the first draw on which something was found."""
    return ", ".join(f"{letter} = {size}" for letter, size in view.drawn[found.index(True)].sizes.items())


def raised(view: View) -> Finding | None:
    """Say which exception ended the call, in which line, and at which sizes."""
    found = [answer.state == "raised" for answer in view.answers]
    if not any(found):
        return None
    answer = view.answers[found.index(True)]
    kind = answer.error.split(":")[0]
    if answer.frames[0][0] == "<module>" if answer.frames else kind in BROKEN:
        text = f"the file cannot be loaded: line {answer.line} ends with {answer.error}"
        question = BROKEN.get(kind, "What should that line do before any function is called?")
        return Finding("guard", f"raised {kind}", text, question)
    where = f" in line {answer.line}{_called_from(view.case.exercise, answer)}" if answer.line else ""
    sizes = _sizes(view, found)
    here = f" (here {sizes})" if all(found) and sizes else ""
    text = f"the call{draws_with(view, found)} ended{where} with {answer.error}{here}"
    fitting = (asked for words, asked in BY_MESSAGE.items() if words in answer.error)
    question = next(fitting, BY_KIND.get(kind, "What are the values in that line when it is reached?"))
    return Finding("guard", f"raised {kind}", text, question)


def _called_from(exercise: Exercise, answer: Answer) -> str:
    """Return the student's own line that led there, where an exception came out of code that was given."""
    functions = functions_in(exercise.stub)
    given = {node.name for node in functions if "NotImplementedError" not in ast.unparse(node)}
    if not answer.frames or answer.frames[-1][0] not in given:
        return ""
    own = [line for name, line in answer.frames if name not in given]
    return f" (of {answer.frames[-1][0]}, called from your line {own[-1]})" if own else ""
