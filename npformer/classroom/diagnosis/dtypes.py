"""When a result holds numbers of another kind than it should: complex, whole, NaN or infinite, and from where."""

from __future__ import annotations

import numpy as np

from ...testing.mismatch import placed
from ..report import Finding
from .part import View

LARGEST_EXPONENT = 709.0  # exp of more overflows in float64
WORDS = {"i": "whole numbers", "u": "whole numbers", "b": "True and False", "c": "complex numbers"}

FIRST = (
    "Which line makes {}: a division by 0, an exponential that is too large, 0 * inf, inf - inf, or the "
    "root or the logarithm of 0 or of a negative number?"
)


def kind(view: View) -> Finding | None:
    """Tell that a result holds complex or whole numbers in place of floats, or numbers in place of booleans."""
    came, wanted = {g.dtype.kind for g in view.got}, {e.dtype.kind for e in view.right}
    if wanted == {"b"} and "b" not in came:
        text = f"{view.name} holds numbers ({view.got[0].dtype}), expected True and False"
        return Finding("guard", "kind", text, "What does NumPy do with ~ or with brackets when it gets numbers?")
    if len(came) != 1 or wanted != {"f"} or not came <= WORDS.keys():
        return None
    text = f"{view.name} holds {WORDS[came.pop()]} ({view.got[0].dtype}), expected floats"
    return Finding("guard", "kind", text, "Where is the array made that you fill, and of which kind is it?")


def not_finite(view: View) -> Finding | None:
    """Tell where NaN or infinity stands that should not, and what holds there, if the same on every draw."""
    if any(g.dtype.kind != "f" for g in view.got):
        return None
    bad = [~np.isfinite(g) & np.isfinite(e) for g, e in zip(view.got, view.right, strict=True)]
    if not any(b.any() for b in bad):
        return None
    word = "NaN" if any(np.isnan(g[b]).any() for g, b in zip(view.got, bad, strict=True)) else "infinite"
    id = "NaN" if word == "NaN" else "infinity"
    for why, text, question, places in causes(view):
        entries = [np.broadcast_to(place, b.shape) for place, b in zip(places, bad, strict=True)]
        pairs = list(zip(entries, bad, strict=True))
        if all((p | ~b).all() for p, b in pairs) and any(p.any() and not p.all() for p, b in pairs if b.any()):
            all_of_it = all((b | ~p | ~np.isfinite(e)).all() for (p, b), e in zip(pairs, view.right, strict=True))
            said = f"{view.name} is {word} " + (f"{text}, and only there" if all_of_it else f"only {text}")
            return Finding("guard", f"{id} {why}", said, question)
    if all(b.all() for b in bad):
        several = any(b.size > 1 for b in bad)
        text = f"{view.name} is {word}{' everywhere' * several}"
        return Finding("guard", id, text, FIRST.format("the first of them" if several else "it"))
    i = [b.any() for b in bad].index(True)
    at = tuple(int(k) for k in np.argwhere(bad[i])[0])
    text = f"{view.name} is {word} in {bad[i].sum()} of {bad[i].size} entries, such as {list(at)}"
    if not at:
        return Finding("guard", id, f"{view.name} is {word} on some inputs", FIRST.format("it"))
    return Finding("guard", id, text, FIRST.format("the first of them"))


def causes(view: View):
    """Yield what may be the reason: an id, words, a question, and the entries concerned on each draw."""
    inputs = [view.shown_inputs_of(one) for one in view.drawn]
    for name, first in inputs[0].items():
        if not isinstance(first, np.ndarray) or not first.ndim:
            continue
        arrays = [own[name] for own in inputs]
        if first.dtype.kind == "b":
            question = "What is the softmax of a row in which nothing may be seen? What does your code divide by?"
            for rows in places(view, [m.any(-1, keepdims=True) for m in arrays]):
                text = f"in the rows in which {name} has no True"
                yield "empty row", text, question, [~r for r in rows]
            for rows in places(view, [m.any(-1) for m in arrays]):
                yield "empty row", f"in the rows in which {name} has no True", question, [~r for r in rows]
            for seen in places(view, arrays):
                question = "What is -inf times 0, and what is inf minus inf?"
                yield "where the mask is False", f"where {name} is False", question, [~s for s in seen]
        elif first.dtype.kind == "f":
            question = "Which is the largest number whose exponential a float64 can hold?"
            for large in places(view, [(x > LARGEST_EXPONENT).any(-1, keepdims=True) for x in arrays]):
                text = f"in the rows in which {name} has numbers above {LARGEST_EXPONENT:.0f}, where exp overflows"
                yield "overflow", text, question, large
            for zero in places(view, [x == 0 for x in arrays]):
                yield "at zero", f"where {name} is 0", "What does your code divide by there?", zero


def places(view: View, arrays: list[np.ndarray]):
    """Yield arrays as they lie on the axes of the result."""
    if arrays[0].ndim <= view.right[0].ndim:
        yield from placed(arrays, view.right)
