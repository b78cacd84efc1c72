"""The question that goes with a fact: for a gradient about its paths, for another result about the formula."""

from __future__ import annotations

import re

from ...testing.mismatch import Fact
from .part import View


def question(view: View, found: Fact) -> str:
    """Return what to ask about a fact, in words that fit the result and the text of the exercise."""
    asked = _question(found, view.is_gradient)
    has_formula = any(cell.markdown and "$$" in cell.text for cell in view.case.exercise.cells)
    return asked if has_formula else asked.replace("the formula", "the text")


def _question(found: Fact, gradient: bool) -> str:
    if "as if a mean" in found.text or re.fullmatch(r"factor 1/\(?[A-Z]( \* [A-Z])*\)?", found.id):
        return "Over which axes did you average, and does each sentence count on its own?"
    if re.fullmatch(r"factor [A-Z]( \* [A-Z])*", found.id):
        return "Over which axes did you sum, and where does the formula divide by how many there are?"
    if found.id == "zeros" and "everywhere" not in found.text:
        return "Which of your lines makes it 0: one that returns early, or one that multiplies by 0?"
    if found.id.startswith("term: "):
        fitting = TERMS if gradient else TERMS | TERMS_OF_FORWARD
        return next(fitting[words] for words in TERMS if words in found.id)
    fitting = QUESTIONS if gradient else QUESTIONS | OF_FORWARD
    return next((fitting[start] for start in QUESTIONS if found.id.startswith(start)), "")


TERMS = {
    "is missing": "Along how many ways does this input move the loss, and which of them have you followed?",
    "stands": "Along how many ways does this input move the loss, and how often have you followed each?",
    "sign": "Which sign does this term have in the formula?",
    "": "By what is this term multiplied in your code, and by what in the formula?",
}
TERMS_OF_FORWARD = {
    "is missing": "Which terms are added up in the formula, and which of your lines makes each?",
    "stands": "How often does the formula have this term, and how often do your lines add it?",
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
    "factor": "Which number have you left out, used twice, or put in beside those of the formula?",
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
    "only in rows with one": "What should a row give in which a single place may be seen?",
    "only at repeated": "Two positions send a gradient to the same row. What becomes of the first?",
    "only in the row of padding": "Should the vector of padding ever be trained?",
    "only on the diagonal": "What is special where an output meets the input of its own place?",
    "only from": "What changes in your lines at this index, or what hides the mistake before it?",
    "only before": "What changes in your lines at this index, or what hides the mistake from it on?",
    "only": "What is special about these entries, and what do your lines make of it?",
}

OF_FORWARD = {  # of a result that is no gradient
    "sign": "Which sign does the formula give it, and which of your lines makes yours?",
    "minus factor": "Which signs and which factors stand in the formula, and which in your lines?",
    "factor 2": "What have you counted twice?",
    "times": "How often does this factor stand in the formula, and how often in your lines?",
    "divided by": "How often does this factor stand in the formula, and how often in your lines?",
    "plus": "What does the formula add up, and what do your lines add besides?",
    "minus": "What does the formula add up, and what do your lines leave out?",
    "only at padding": "What should come out where there is no word?",
    "only at repeated": "What do your lines make of an id that stands more than once?",
    "only in the row of padding": "What should come out where there is no word?",
}
