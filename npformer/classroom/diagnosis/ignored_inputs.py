"""Which inputs an answer does not feel: moved, they leave every number of it as it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..inputs import Drawn
from ..report import Finding
from ..tolerance import same
from .enough import shaken
from .part import N_MORE, View

MOVES = (shaken, lambda rng, x: -x)  # signs alone may be what counts


def unfelt(view: View) -> Finding | None:
    """Tell of which inputs the right result depends on all draws, and the student's on none, however they move."""
    more = view.with_more(N_MORE)
    if more is None or not more.comparable:
        return None
    names = [own for name, own in more.shown_names.items() if is_unfelt(more, name)]
    if not names:
        return None
    listed = " or ".join(names)
    question = f"What does the text do with {listed}, and what do your lines do with it?"
    return Finding("fact", f"does not depend on {listed}", f"{view.name} does not depend on {listed}", question)


def is_unfelt(view: View, name: str) -> bool:
    """Tell whether an input of floats moves the right result on every draw, and the student's to no last bit."""
    if not all(is_float(one.inputs[name]) for one in view.drawn):
        return False
    for drawn in moved(view, name):
        try:
            other = view.on(drawn, [])
        except RuntimeError:  # the key cannot take it
            return False
        if any(map(same, other.right, view.right)):
            return False
        other = replace(other, answers=view.again(view.jobs(drawn)))
        if not all(a.state == "done" for a in other.answers) or not other.comparable:
            return False
        if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(other.got, view.got, strict=True)):
            return False
    return True


def is_float(x: object) -> bool:
    """Tell whether an input is a float, or floats."""
    return isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f" and x.size > 0)


def moved(view: View, name: str) -> Iterator[list[Drawn]]:
    """Yield the draws with an input moved, one way after the other."""
    rng = np.random.default_rng(0)
    for shifted in MOVES:
        yield [replace(one, inputs={**one.inputs, name: shifted(rng, one.inputs[name])}) for one in view.drawn]
