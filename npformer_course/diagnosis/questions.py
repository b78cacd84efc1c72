"""The question that goes with a fact."""

from __future__ import annotations

import re

from npformer.testing.mismatch import Fact

from .comparison import Comparison


def question(part: Comparison, fact: Fact) -> str:
    """Return what to ask about a fact, in words that fit the text of the exercise."""
    text = _question(fact)
    has_formula = any(cell.markdown and "$$" in cell.text for cell in part.case.exercise.cells)
    return text if has_formula else text.replace("the formula", "the text")


def _question(fact: Fact) -> str:
    if "as if a mean" in fact.text or re.fullmatch(r"factor 1/\(?[A-Z]( \* [A-Z])*\)?", fact.id):
        return (
            "Which of your lines takes a mean or divides by a length, and does the formula do so?"
        )
    if re.fullmatch(r"factor [A-Z]( \* [A-Z])*", fact.id):
        return (
            "Over which axes did you sum, and where does the formula divide by how many there are?"
        )
    if fact.id == "zeros" and "everywhere" not in fact.text:
        return "Which of your lines makes it 0: one that returns early, rounds down, or multiplies by 0?"
    id = fact.id
    if id.startswith("term: "):
        id = "term: " + next(
            (words for words in ("is missing", "stands", "sign") if words in id), ""
        )
    return next((text for start, text in QUESTIONS.items() if id.startswith(start)), ANY_FACT)


ANY_FACT = "Which of your lines can bring that about, and what does the formula have there?"
QUESTIONS = {  # by the beginning of a fact's id
    "term: is missing": "Which paths lead from this input to the result, and which of them have you followed?",
    "term: stands": "How often does the formula have this term, and how often do your lines add it?",
    "term: sign": "Which sign does this term have in the formula?",
    "term: ": "By what is this term multiplied in your code, and by what in the formula?",
    "close": "Was it computed in float32, or is a small number added somewhere?",
    "zeros": "Which of your lines makes it 0: is it never filled, rounded down, or multiplied by 0?",
    "is ": "Which step of the formula has your function not done yet?",
    "sign": "Which sign does the formula give it, and which of your lines makes yours?",
    "factor 2": "What have you counted twice?",
    "factor": "Write your lines as one formula: which number, root or power in it is not that of the formula?",
    "only at padding": "What should come out of a position that holds no word?",
    "only where the mask": "At which point does your code know the mask, and what comes after it?",
    "only in rows without": "What should a row give in which nothing may be seen?",
    "only at repeated": "What do your lines make of an id that occurs more than once?",
    "only in the row of padding": "What should the row of padding hold?",
    "only": "What is special about these entries, and what do your lines make of it?",
}
