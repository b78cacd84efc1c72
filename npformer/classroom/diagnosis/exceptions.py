"""When an exception ended a call: in which of the student's lines, at which sizes, and what to ask about it."""

from __future__ import annotations

import ast

from ..cells import functions_in
from ..execution import Answer
from ..exercise import Exercise
from ..report import Finding
from .part import View

MESSAGES = {  # by what stands in the exception's text, before its kind is looked at
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
QUESTIONS = {
    "NameError": "Is the name spelt as where it was made, and was it made on every way to this line?",
    "ValueError": "Write the shape of each array beside that line: which axis does not fit its partner?",
    "IndexError": "Which lengths can the array of that line have, and which indices are there?",
    "TypeError": "Print the type of each value in that line: which is not what you thought?",
    "AttributeError": "Print the type of what stands before the dot in that line. Is it an array?",
    "ZeroDivisionError": "For which inputs is the divisor of that line 0?",
    "MemoryError": "How large is the array of that line, and which of its axes does the result not have?",
    "RecursionError": "When does your function stop calling itself?",
}
BROKEN = {  # what a file is that is no Python
    "SyntaxError": "Read that line and the one above it: is every bracket closed, every colon there?",
    "IndentationError": "Which line above it does that line belong to, and do both begin where they should?",
    "TabError": "Which of these lines begin with tabs, and which with spaces?",
}


def guard(id: str, text: str, question: str = "") -> Finding:
    """Return a finding of this room."""
    return Finding("guard", id, text, question)


def draws_with(view: View, found: list[bool]) -> str:
    """Return words for the sizes at which something was found, empty where it was on every draw."""
    if all(found):
        return ""
    sizes = sizes_of(view, found.index(True))
    return f" with {sizes}" if sizes else " on some inputs"


def sizes_of(view: View, i: int) -> str:
    """Return the sizes of a draw by letter."""
    return ", ".join(f"{letter} = {size}" for letter, size in view.drawn[i].sizes.items())


def raised(view: View) -> Finding | None:
    """Tell which exception ended the call, in which line, and at which sizes."""
    found = [answer.state == "raised" for answer in view.answers]
    if not any(found):
        return None
    answer = view.answers[found.index(True)]
    kind = answer.error.split(":")[0]
    if while_loading(answer, kind):
        text = f"the file cannot be loaded: line {answer.line} ends with {answer.error}"
        return guard(f"raised {kind}", text, BROKEN.get(kind, "What shall that line do before any function is called?"))
    where = f" in line {answer.line}{called_from(view.case.exercise, answer)}" if answer.line else ""
    text = f"the call{draws_with(view, found)} ended{where} with {answer.error}"
    sizes = sizes_of(view, found.index(True))
    text += f" (here {sizes})" if all(found) and sizes else ""
    return guard(f"raised {kind}", text, question(kind, answer.error))


def while_loading(answer: Answer, kind: str) -> bool:
    """Tell whether the file could not be loaded: it is no Python, or a line of it outside of functions raised."""
    return answer.frames[0][0] == "<module>" if answer.frames else kind in BROKEN


def question(kind: str, error: str) -> str:
    """Return what to ask about an exception."""
    fitting = (asked for words, asked in MESSAGES.items() if words in error)
    return next(fitting, QUESTIONS.get(kind, "What are the values in that line when it is reached?"))


def called_from(exercise: Exercise, answer: Answer) -> str:
    """Return the student's own line that led there, where an exception came out of code that was given."""
    given = given_functions(exercise)
    if not answer.frames or answer.frames[-1][0] not in given:
        return ""
    own = [line for name, line in answer.frames if name not in given]
    return f" (of {answer.frames[-1][0]}, called from your line {own[-1]})" if own else ""


def given_functions(exercise: Exercise) -> set[str]:
    """Return the names of the functions that a student gets with a body."""
    to_write = {node.name for node in functions_in(exercise.stub) if "NotImplementedError" in ast.unparse(node)}
    return {node.name for node in functions_in(exercise.stub)} - to_write
