"""The smallest simplification of the inputs with which an answer is right: gain 1, no mask, one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations
from time import monotonic

import numpy as np

from ..cells import as_text
from ..inputs import N_DRAWS, Drawn, draw
from ..report import Finding
from .enough import depends_on, finite, telling, varied
from .part import View
from .simpler import EQUAL, KINDS, asked, called, said

LETTERS = ("B", "T", "S", "H", "N")  # sizes of 1 are told in this order, then those of the other letters
MOST_PAIRS, PATIENCE = 15, 2.0  # seconds, after which no pairs are tried, nor sizes that are equal
N_MORE = 20  # further draws, against luck: a few small numbers may well not show a mistake; their ids fall loosely
SMALLEST = range(N_DRAWS, N_DRAWS + 3)  # draws with each other size at 1 as well
Simpler = tuple[str, ...]


def ablated(view: View) -> Finding | None:
    """Tell the smallest simplification with which this part is right, where the right result still says something."""
    begun, found = monotonic(), []
    for ways, most in zip(simplifications(view), (2, 1, 1), strict=True):
        if not found and monotonic() - begun < PATIENCE:
            found = holding(view, ways)[:most]
    if not found:
        return None
    ways = [" and ".join(called(view, simpler, one) for one in how) for how, simpler in found]
    how, simpler = found[0]
    question = asked(view, how)
    id = "right when " + " and ".join(said(simpler, one) for one in how)
    return Finding("ablation", id, f"{view.name} is right when " + ", and also when ".join(ways), question)


def holding(view: View, ways: list[Simpler]) -> list[tuple[Simpler, View]]:
    """Return the simplifications with which this part is right, and the part: on one draw first, then on many."""
    first = {how: drawn for how in ways if (drawn := simplified(view, how, range(1)))}
    left = [how for how, simpler in runs(view, first) if simpler.agrees]
    whole = depends_on(view) if left else set()
    found = []
    for how, simpler in lasting(view, left):
        some = simpler.on(simpler.drawn[:N_DRAWS], simpler.answers[:N_DRAWS])
        if (
            all(said(simpler, one) for one in how)
            and telling(simpler.right)
            and (KINDS.keys() & {*how} or varied(view, simpler))
            and depends_on(some) >= whole
        ):
            found.append((how, simpler))
    return found


def lasting(view: View, ways: list[Simpler]) -> list[tuple[Simpler, View]]:
    """Return the simplifications with which this part is right on many draws, and where any other size is 1 as well."""
    tried = {(how, ""): simplified(view, how, range(N_DRAWS + N_MORE)) for how in ways}
    for how in ways:
        others = [letter for letter in view.drawn[0].sizes if letter not in how]
        tried |= {(how, letter): simplified(view, (*how, letter), SMALLEST) for letter in others}
    ran = runs(view, {key: drawn for key, drawn in tried.items() if drawn})
    wrong = {how for (how, letter), simpler in ran if not (simpler.agrees or (letter and not finite(simpler.right)))}
    return [(how, simpler) for (how, letter), simpler in ran if not letter and how not in wrong]


def runs(view: View, tried: dict[tuple, list[Drawn]]) -> list[tuple[tuple, View]]:
    """Return the part on simpler draws, all of which run in one go."""
    if not tried:
        return []
    answers = iter(view.again([job for drawn in tried.values() for job in view.jobs(drawn)]))
    return [(how, view.on(drawn, [next(answers) for _ in drawn])) for how, drawn in tried.items()]


def simplifications(view: View) -> tuple[list[Simpler], list[Simpler], list[Simpler]]:
    """Return what may be kept simple: single things, pairs of them, and two sizes that are the same."""
    used = frozenset().union(*(one.used for one in view.drawn))
    sizes = [letter for letter in LETTERS if letter in view.drawn[0].sizes]
    others = [letter for letter in view.drawn[0].sizes if letter not in LETTERS]
    text = as_text(list(view.case.exercise.cells))
    known = [letter for letter in sizes + others if re.search(rf"\b{letter}\b", text)]  # the student's, not ours
    single = [kind for kind in KINDS if kind in used] + known
    pairs = [pair for pair in combinations(single, 2) if not {*pair} & {*others}]
    equal = [(EQUAL.join(pair),) for pair in combinations(sorted(known), 2)]
    return [(one,) for one in single], pairs[:MOST_PAIRS], equal


def simplified(view: View, how: Simpler, indices: Iterable[int]) -> list[Drawn] | None:
    """Return draws with some things kept simple, or None where the exercise has no such inputs."""
    letters = {one for one in how if one not in KINDS and EQUAL not in one}
    simpler = {
        "plain": {kind for kind in how if kind in KINDS},
        "fixed": dict.fromkeys(letters, 1) | dict(one.split(EQUAL)[::-1] for one in how if EQUAL in one),
    }
    try:
        drawn = [draw(view.case.exercise, view.case.seed, i, loose=i >= N_DRAWS, **simpler) for i in indices]
        if not all(is_tried(view, drawn[0], letter, simpler) for letter in letters):
            return None
        view.on(drawn, [])
    except (ValueError, IndexError, ZeroDivisionError, RuntimeError):  # so small the inputs, or the key, cannot be
        return None
    return drawn


def is_tried(view: View, drawn: Drawn, letter: str, simpler: dict) -> bool:
    """Tell whether a size of 1 makes other inputs than one of 2: an exercise may well not go below 2."""
    larger = {**simpler, "fixed": {**simpler["fixed"], letter: 2}}
    other = draw(view.case.exercise, view.case.seed, 0, **larger)
    return any(form(x) != form(y) for x, y in zip(drawn.inputs.values(), other.inputs.values(), strict=True))


def form(x):
    """Return the shape of an array, and anything else as it is."""
    return x.shape if isinstance(x, np.ndarray) else x
