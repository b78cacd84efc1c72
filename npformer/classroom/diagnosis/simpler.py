"""Simpler inputs in words: one sentence, a gain of 1, nothing masked."""

from __future__ import annotations

import numpy as np

from ..input_sampler import PADDING
from .part import View

KINDS = {
    "mask": "nothing is masked",
    "dropout": "the dropout rate is 0",
    "eps": "eps = 0",
    "betas": "beta1 = beta2",
    "before": "no update has gone before",
    "rstd": "rstd = 1",
    "gain": "gain = 1",
    "bias": "bias = 0",
    "ids": "no id is padding",
    "dy": "dy is all ones",
}
EQUAL = " = "  # stands between two sizes that are the same: d_k = d_v
VALUES = {"gain": 1, "bias": 0, "dy": 1}  # what stands all over an input of this kind when it is simple
QUESTIONS = {
    "mask": "Which of your lines would have to know the mask, and does it stand before or after the softmax?",
    "dropout": "What does the text do with the rate and the places that are dropped, both ways, and what your lines?",
    "eps": "What does the text do with eps, and what do your lines do with it?",
    "betas": "Where does the text have beta1 and where beta2, and where do your lines have them?",
    "before": "What is different in the second update, in the text and in your lines?",
    "rstd": "Which terms does rstd multiply in the formula, and which in your lines?",
    "gain": "Which of your lines should hold the gain, and at which point of the way back does it come in?",
    "bias": "Which of your lines should feel the bias?",
    "ids": "What becomes of a row to which two positions send a gradient, or of padding?",
    "dy": "Where does the gradient from above come in: is it inside every sum it belongs to?",
    "H": "Where do the heads part and meet again, and in which order do the axes stand there?",
}
SEVERAL = {"B": "sentence", "T": "position", "S": "position of the source"}  # asked of one as of the other
OF_FORWARD = {  # of a result that is no gradient
    "gain": "Which of your lines should hold the gain, and what does it multiply?",
    "ids": "What do your lines make of an id that stands twice, or of padding?",
}


def asked(view: View, how: tuple[str, ...]) -> str:
    """Return what to ask where an answer is right with these simplifications: a question that holds of any reason."""
    fitting, one = QUESTIONS if view.is_gradient else QUESTIONS | OF_FORWARD, how[-1]
    if {*how} <= SEVERAL.keys():
        a_second = " or ".join(SEVERAL[letter] for letter in how)
        return f"With a second {a_second}: does any of your lines mix the two, or forget one of them?"
    if len(sizes := one.split(EQUAL)) == 2:
        return f"What changes in your lines where {' and '.join(sizes)} differ, and what should?"
    question = fitting.get(one, f"What changes in your lines when {one} is more than 1, and what should?")
    return question if view.padded else question.replace(", or of padding", "")


def said(simpler: View, one: str) -> str:
    """Return a simplification in words that are the same for all exercises, none where there was nothing simple."""
    if one == "ids":
        return about_ids(simpler)
    return KINDS.get(one, one if EQUAL in one else f"{one} = 1")


def about_ids(simpler: View) -> str:
    """Return what was simple about the ids: in a small vocabulary they repeat all the same."""
    arrays = [x for one in simpler.drawn for x in one.inputs.values() if isinstance(x, np.ndarray)]
    unique = all(np.unique(x).size == x.size for x in arrays if x.dtype.kind in "iu" and x.ndim > 1)
    padded = any(PADDING in one.used for one in simpler.drawn)
    if unique:
        return "no id repeats and none is padding" if padded else "no id repeats"
    return KINDS["ids"] if padded else ""


def called(view: View, simpler: View, one: str) -> str:
    """Return a simplification in words, with the exercise's own names of what is simple."""
    if one not in VALUES:
        return said(simpler, one)
    simple, usual = (list(map(view.shown_inputs_of, drawn)) for drawn in (simpler.drawn, view.drawn))
    names = [
        name
        for name in usual[0]
        if all(is_all(own[name], VALUES[one]) for own in simple)
        and not all(is_all(own[name], VALUES[one]) for own in usual)
    ]
    if one == "dy":
        several = "the gradients from above are" if len(names) > 1 else "the gradient from above is"
        return f"{names[0] if len(names) == 1 else several}{' is' * (len(names) == 1)} all ones"
    return f"{' = '.join(names) or one} = {VALUES[one]}"


def is_all(x, value: float) -> bool:
    """Tell whether an input is an array of floats with one value all over."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "f" and bool((x == value).all())
