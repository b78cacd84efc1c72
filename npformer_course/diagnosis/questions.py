"""The question that goes with a fact."""

from __future__ import annotations

import re

from npformer.testing.mismatch import Fact

from .comparison import Comparison

LETTERS = r"[A-Z]( \* [A-Z])*"  # a product of lengths, such as B * T
ANY_FACT = "Which of your lines can bring that about, and what does the formula have there?"
A_MEAN = "Which of your lines takes a mean or divides by a length, and does the formula do so?"
A_SUM = "Over which axes did you sum, and where does the formula divide by how many there are?"
SOME_ZEROS = (
    "Which of your lines makes it 0: one that returns early, rounds down, or multiplies by 0?"
)
# by the beginning of a fact's id: the first that fits, so "factor 2" comes before "factor", and
# "only" after all that begin with it
QUESTIONS = {
    "close": "Was it computed in float32, or is a small number added somewhere?",
    "zeros": (
        "Which of your lines makes it 0: is it never filled, rounded down, or multiplied by 0?"
    ),
    "is ": "Which step of the formula has your function not done yet?",
    "sign": "Which sign does the formula give it, and which of your lines makes yours?",
    "factor 2": "What have you counted twice?",
    "factor": (
        "Write your lines as one formula: "
        "which number, root or power in it is not that of the formula?"
    ),
    "only at padding": "What should come out of a position that holds no word?",
    "only where the mask": "At which point does your code know the mask, and what comes after it?",
    "only in rows without": "What should a row give in which nothing may be seen?",
    "only at repeated": "What do your lines make of an id that occurs more than once?",
    "only in the row of padding": "What should the row of padding hold?",
    "only": "What is special about these entries, and what do your lines make of it?",
}
TERM_QUESTIONS = {  # by what the id of a fact about a term holds, the first that does
    "is missing": (
        "Which paths lead from this input to the result, and which of them have you followed?"
    ),
    "stands": "How often does the formula have this term, and how often do your lines add it?",
    "sign": "Which sign does this term have in the formula?",
    # of every other fact about a term
    "": "By what is this term multiplied in your code, and by what in the formula?",
}


def question(comparison: Comparison, fact: Fact) -> str:
    """Return what to ask about a fact, in words that fit the text of the exercise."""
    # where the text has no formula, a question must not send the student to look for one
    text = _question(fact)
    cells = comparison.case.exercise.cells
    has_formula = any(cell.markdown and "$$" in cell.text for cell in cells)
    return text if has_formula else text.replace("the formula", "the text")


def _question(fact: Fact) -> str:
    id = fact.id
    divides = re.fullmatch(rf"factor 1/\(?{LETTERS}\)?", id)
    if divides or "as if a mean" in fact.text:
        return A_MEAN
    if re.fullmatch(rf"factor {LETTERS}", id):
        return A_SUM
    if id == "zeros" and "everywhere" not in fact.text:
        return SOME_ZEROS

    if id.startswith("term: "):
        for words, text in TERM_QUESTIONS.items():
            if words in id:
                return text
    for start, text in QUESTIONS.items():
        if id.startswith(start):
            return text
    return ANY_FACT
