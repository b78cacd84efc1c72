"""The smallest simplification of the inputs with which an answer is right: gain 1, no mask, one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from time import monotonic

import numpy as np

from .comparing import same
from .draws import N_DRAWS, Drawn, draw
from .findings import Finding
from .views import View

KINDS = {
    "mask": "nothing is masked",
    "dropout": "nothing is dropped",
    "gain": "gain = 1",
    "bias": "bias = 0",
    "ids": "no id repeats and none is padding",
    "dy": "dy is all ones",
}
LETTERS = ("B", "T", "S", "H", "N")  # sizes of 1 are told in this order, then those of the other letters
MOST_PAIRS, PATIENCE = 15, 2.0  # seconds, after which no pairs are tried
N_MORE = 20  # further draws, against luck: a few small numbers may well not show a mistake
QUESTIONS = {
    "mask": "Which of your lines would have to know the mask, and does it stand before or after the softmax?",
    "dropout": "Which of your lines would change with the rate, in forward and on the way back?",
    "gain": "Which of your lines should hold the gain, and at which point of the way back does it come in?",
    "bias": "Which of your lines should feel the bias?",
    "ids": "What becomes of a row to which two positions send a gradient, or of padding?",
    "dy": "Where does dy come in: is it inside every sum it belongs to?",
    "B": "Which of your lines mixes sentences, or forgets all but one?",
    "T": "Which of your lines mixes positions, or forgets all but one?",
    "S": "Which of your lines mixes positions of the source, or takes S for another length?",
    "H": "Where do the heads part and meet again, and in which order do the axes stand there?",
}
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
    text = f"{view.name} is right when " + ", and also when ".join(" and ".join(map(said, how)) for how in found[:2])
    last = found[0][-1]
    question = QUESTIONS.get(last, f"Where does {last} come into your lines, and where should it?")
    return Finding("ablation", "right when " + " and ".join(map(said, found[0])), text, question)


def holding(view: View, ways: list[Simpler]) -> list[Simpler]:
    """Return the simplifications with which this part is right: on one draw first, then on many."""
    first = {how: drawn for how in ways if (drawn := simplified(view, how, range(1)))}
    left = [how for how, simpler in runs(view, first) if simpler.agrees and telling(simpler.right)]
    whole = depends_on(view) if left else set()
    many = {how: drawn for how in left if (drawn := simplified(view, how, range(N_DRAWS + N_MORE)))}
    found = []
    for how, simpler in runs(view, many):
        some = simpler.on(simpler.drawn[:N_DRAWS], simpler.answers[:N_DRAWS])
        if simpler.agrees and telling(some.right) and depends_on(some) >= whole:
            found.append(how)
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
    single = [kind for kind in KINDS if kind in used] + sizes + others
    pairs = [pair for pair in combinations(single, 2) if not {*pair} & {*others}]
    return [(one,) for one in single], pairs[:MOST_PAIRS]


def simplified(view: View, how: Simpler, indices: Iterable[int]) -> list[Drawn] | None:
    """Return draws with some things kept simple, or None where the exercise has no such inputs."""
    simpler = {
        "plain": {kind for kind in how if kind in KINDS},
        "fixed": {letter: 1 for letter in how if letter not in KINDS},
    }
    try:
        drawn = [draw(view.case.exercise, view.case.seed, i, **simpler) for i in indices]
        view.on(drawn, [])
    except (ValueError, IndexError, ZeroDivisionError, RuntimeError):  # so small the inputs, or the key, cannot be
        return None
    return drawn


def telling(right: list[np.ndarray]) -> bool:
    """Tell whether right results are finite and say more than one number over and over."""
    return all(e.size and np.isfinite(e).all() and e.any() and (e.size == 1 or np.ptp(1.0 * e)) for e in right)


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


def said(simpler: str) -> str:
    """Return a simplification in words."""
    return KINDS.get(simpler, f"{simpler} = 1")
