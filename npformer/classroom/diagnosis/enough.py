"""Whether simple inputs leave enough for what is right with them to say something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..tolerance import NOISE, same
from .part import View


def telling(right: list[np.ndarray]) -> bool:
    """Tell whether right results are finite, and most say more than one number over and over, or 0 and its rounding."""
    saying = [e.size > 0 and (np.abs(e) > NOISE).any() and varies(e) for e in right]
    return finite(right) and sum(saying) > len(saying) / 2


def finite(right: list[np.ndarray]) -> bool:
    """Tell whether right results are finite."""
    return all(np.isfinite(e).all() for e in right)


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


def shaken(rng: np.random.Generator, x: np.ndarray | float) -> np.ndarray | float:
    """Return a number or an array moved by a tenth."""
    return x + 0.1 * rng.normal(size=np.shape(x))


def varied(view: View, simpler: View) -> bool:
    """Tell whether no array has one number alone on all draws that usually has several: of [1] follows little."""
    for name, x in view.inputs_of(view.drawn[0]).items():
        if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind in "iuf":
            simple, usual = ([one.inputs[name] for one in part.drawn] for part in (simpler, view))
            if n_numbers(simple) == 1 < n_numbers(usual):
                return False
    return True


def n_numbers(arrays: list[np.ndarray]) -> int:
    """Return how many numbers stand in some arrays, each counted once."""
    return np.unique(np.concatenate([x.ravel() for x in arrays])).size
