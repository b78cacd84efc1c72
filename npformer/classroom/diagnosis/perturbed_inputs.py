"""When an answer is what the right solution gives on other inputs: two exchanged, one replaced by 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from ..execution import make_call
from ..exercise import module_of
from ..inputs import Drawn
from ..report import Finding
from ..tolerance import same
from .part import N_MANY, View

Inputs = Mapping[str, object]


def what_if(view: View) -> Finding | None:
    """Tell with which other inputs the right solution gives the student's numbers, on every draw and further ones."""
    if not view.comparable or view.agrees:
        return None
    for id, text, question, change in changes(view):
        if comes_of(view, change) and telling(view) and (more := view.with_more(N_MANY)) and comes_of(more, change):
            return Finding("fact", id, f"{view.name} is what comes out when {text}", question)
    return None


def changes(view: View) -> Iterator[tuple]:
    """Yield changes of the inputs: an id, words, a question, and what makes them."""
    called = view.shown_names
    inputs = {name: x for name, x in view.inputs_of(view.drawn[0]).items() if name in called}
    for a, b in combinations(inputs, 2):
        if all(alike(own[a], own[b]) for own in map(view.inputs_of, view.drawn)):
            one, other = called[a], called[b]
            question = f"Where do {one} and {other} stand in your lines, and which is which?"
            text = f"{one} and {other} are exchanged"
            yield f"{one} and {other} exchanged", text, question, lambda own, a=a, b=b: {**own, a: own[b], b: own[a]}
    for name, x in inputs.items():
        own = called[name]
        question = f"Where does {own} come into your lines, and where into the formula?"
        if isinstance(x, np.ndarray) and x.dtype.kind == "b":
            yield f"{own} turned", f"True and False change places in {own}", question, replaced(name, np.invert)
            yield f"{own} all True", f"{own} is True everywhere", question, replaced(name, np.ones_like)
        elif isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f"):
            where = " everywhere" if isinstance(x, np.ndarray) and x.ndim else ""
            yield f"{own} = 0", f"{own} is 0{where}", question, replaced(name, lambda x: 0.0 * x)
            yield f"{own} = 1", f"{own} is 1{where}", question, replaced(name, lambda x: 0.0 * x + 1.0)


def alike(a, b) -> bool:
    """Tell whether two inputs may be taken for each other: two floats, or two arrays of one shape and kind."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and a.dtype == b.dtype
    return isinstance(a, float) and isinstance(b, float)


def replaced(name: str, by):
    """Return what puts something else in the place of an input."""
    return lambda own: {**own, name: by(own[name])}


def comes_of(view: View, change) -> bool:
    """Tell whether the student's numbers are those of the right solution on changed inputs."""
    module = module_of(view.case.exercise.key)
    for drawn, got in zip(view.drawn, view.got, strict=True):
        answer = make_call(module, view.call, changed(view, drawn, change).inputs)
        if answer.state != "done" or not same(got, answer.values[view.index]):
            return False
    return True


def changed(view: View, drawn: Drawn, change) -> Drawn:
    """Return a draw with changed inputs."""
    return replace(drawn, inputs={**drawn.inputs, **change(view.inputs_of(drawn))})


def telling(view: View) -> bool:
    """Tell whether what came says more than a NaN, or one number over and over, which much else would give as well."""
    return all(np.isfinite(g).all() and (g.size == 1 or np.ptp(1.0 * g) > 0) for g in view.got)
