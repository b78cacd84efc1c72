"""The smallest simplification of the inputs with which an answer is right: gain 1, no mask, one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from time import monotonic

import numpy as np

from ..comparing import NOISE, same
from ..draws import N_DRAWS, Drawn, draw
from ..findings import Finding
from ..source import as_text
from .simpler import KINDS, asked, called, said
from .views import View

LETTERS = ("B", "T", "S", "H", "N")  # sizes of 1 are told in this order, then those of the other letters
MOST_PAIRS, PATIENCE = 15, 2.0  # seconds, after which no pairs are tried
N_MORE = 20  # further draws, against luck: a few small numbers may well not show a mistake; their ids fall loosely
Simpler = tuple[str, ...]


def ablated(view: View) -> Finding | None:
    """Tell the smallest simplification with which this part is right, where the right result still says something."""
    single, pairs = simplifications(view)
    begun = monotonic()
    found = holding(view, single)
    if not found and monotonic() - begun < PATIENCE:
        found = holding(view, pairs)[:1]
    if not found:
        return None
    ways = [" and ".join(called(view, simpler, one) for one in how) for how, simpler in found[:2]]
    how, simpler = found[0]
    question = asked(view, how[-1])
    id = "right when " + " and ".join(said(simpler, one) for one in how)
    return Finding("ablation", id, f"{view.name} is right when " + ", and also when ".join(ways), question)


def holding(view: View, ways: list[Simpler]) -> list[tuple[Simpler, View]]:
    """Return the simplifications with which this part is right, and the part: on one draw first, then on many."""
    first = {how: drawn for how in ways if (drawn := simplified(view, how, range(1)))}
    left = [how for how, simpler in runs(view, first) if simpler.agrees and telling(simpler.right)]
    whole = depends_on(view) if left else set()
    many = {how: drawn for how in left if (drawn := simplified(view, how, range(N_DRAWS + N_MORE)))}
    found = []
    for how, simpler in runs(view, many):
        some = simpler.on(simpler.drawn[:N_DRAWS], simpler.answers[:N_DRAWS])
        if (
            all(said(simpler, one) for one in how)
            and simpler.agrees
            and telling(some.right)
            and depends_on(some) >= whole
        ):
            found.append((how, simpler))
    return found


def runs(view: View, tried: dict[Simpler, list[Drawn]]) -> list[tuple[Simpler, View]]:
    """Return the part on simpler draws, all of which run in one go."""
    if not tried:
        return []
    answers = iter(view.again([job for drawn in tried.values() for job in view.jobs(drawn)]))
    return [(how, view.on(drawn, [next(answers) for _ in drawn])) for how, drawn in tried.items()]


def simplifications(view: View) -> tuple[list[Simpler], list[Simpler]]:
    """Return what may be kept simple: single things, and pairs of them."""
    used = frozenset().union(*(one.used for one in view.drawn))
    sizes = [letter for letter in LETTERS if letter in view.drawn[0].sizes]
    others = [letter for letter in view.drawn[0].sizes if letter not in LETTERS]
    text = as_text(list(view.case.exercise.cells))
    known = [letter for letter in sizes + others if re.search(rf"\b{letter}\b", text)]  # the student's, not ours
    single = [kind for kind in KINDS if kind in used] + known
    pairs = [pair for pair in combinations(single, 2) if not {*pair} & {*others}]
    return [(one,) for one in single], pairs[:MOST_PAIRS]


def simplified(view: View, how: Simpler, indices: Iterable[int]) -> list[Drawn] | None:
    """Return draws with some things kept simple, or None where the exercise has no such inputs."""
    simpler = {
        "plain": {kind for kind in how if kind in KINDS},
        "fixed": {letter: 1 for letter in how if letter not in KINDS},
    }
    try:
        drawn = [draw(view.case.exercise, view.case.seed, i, loose=i >= N_DRAWS, **simpler) for i in indices]
        if not all(is_tried(view, drawn[0], letter, simpler) for letter in simpler["fixed"]):
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


def telling(right: list[np.ndarray]) -> bool:
    """Tell whether right results are finite and say more than one number over and over, or 0 and its rounding."""
    return all(e.size and np.isfinite(e).all() and (np.abs(e) > NOISE).any() and varies(e) for e in right)


def varies(e: np.ndarray) -> bool:
    """Tell whether the numbers of an array differ, by more than rounding."""
    return e.size == 1 or bool(np.ptp(1.0 * e) > NOISE * np.abs(e).max())


def depends_on(view: View) -> set[str]:
    """Return the inputs of floats which the right result feels: with one key alone no softmax feels the scores."""
    rng, found = np.random.default_rng(0), set()
    for name, x in view.inputs_of(view.drawn[0]).items():
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            moved = [replace(one, inputs={**one.inputs, name: shaken(rng, one.inputs[name])}) for one in view.drawn]
            if not all(map(same, view.on(moved, []).right, view.right)):
                found.add(name)
    return found


def shaken(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """Return an array moved by a tenth."""
    return x + 0.1 * rng.normal(size=x.shape)
