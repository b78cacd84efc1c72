"""Simpler inputs in words: one sentence, a gain of 1, nothing masked."""

from __future__ import annotations

import numpy as np

from ..draws import PADDING
from .views import View

KINDS = {
    "mask": "nothing is masked",
    "dropout": "nothing is dropped",
    "gain": "gain = 1",
    "bias": "bias = 0",
    "ids": "no id is padding",
    "dy": "dy is all ones",
}
VALUES = {"gain": 1, "bias": 0, "dy": 1}  # what stands all over an input of this kind when it is simple
QUESTIONS = {
    "mask": "Which of your lines would have to know the mask, and does it stand before or after the softmax?",
    "dropout": "Which of your lines would change with the rate, in forward and on the way back?",
    "gain": "Which of your lines should hold the gain, and at which point of the way back does it come in?",
    "bias": "Which of your lines should feel the bias?",
    "ids": "What becomes of a row to which two positions send a gradient, or of padding?",
    "dy": "Where does the gradient from above come in: is it inside every sum it belongs to?",
    "B": "Which of your lines mixes sentences, or forgets all but one?",
    "T": "Which of your lines mixes positions, or forgets all but one?",
    "S": "Which of your lines mixes positions of the source, or takes S for another length?",
    "H": "Where do the heads part and meet again, and in which order do the axes stand there?",
}
OF_FORWARD = {  # of a result that is no gradient
    "dropout": "Which of your lines would change with the rate?",
    "gain": "Which of your lines should hold the gain, and what does it multiply?",
    "ids": "What do your lines make of an id that stands twice, or of padding?",
}


def asked(view: View, one: str) -> str:
    """Return what to ask where an answer is right with this simplification."""
    fitting = QUESTIONS if view.is_gradient else QUESTIONS | OF_FORWARD
    question = fitting.get(one, f"Where does {one} come into your lines, and where should it?")
    return question if view.padded else question.replace(", or of padding", "")


def said(simpler: View, one: str) -> str:
    """Return a simplification in words that are the same for all exercises, none where there was nothing simple."""
    if one == "ids":
        return about_ids(simpler)
    return KINDS.get(one, f"{one} = 1")


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
