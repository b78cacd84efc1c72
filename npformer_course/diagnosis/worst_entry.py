"""The numbers at the entry that differs most."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..report import Finding
from ..tolerance import TOLERANCE, error
from .comparison import Comparison

MAX_DIGITS = 17  # distinguish any two floats
LARGE = 100.0  # exp(710) is infinite, and a sum or a product of smaller numbers is soon as large
UNSAID = "the numbers differ"
NOT_FINITE = (
    "Was it handed in, or which line makes it first: a division by 0, an exponential that is too "
    "large, 0 * inf, inf - inf, or the root or the logarithm of 0 or of a negative number?"
)


def numbers(comparison: Comparison) -> Finding:
    """Return what came and was expected at a wrong entry, and how many entries differ.

    It is the worst entry, or the worst of the first wrong call where `entries` come of several.
    """
    if not comparison.comparable:
        return Finding("numbers", "", UNSAID)
    inner = comparison.apart()
    for got, right in inner.pairs:
        if got.shape != right.shape:
            return Finding("numbers", "", UNSAID)
    if all(inner.agree):
        return Finding("numbers", "", UNSAID)

    # of several calls the first wrong one is shown, because later ones may follow from it
    if inner is comparison:
        worst = worst_draw(inner)
    else:
        worst = inner.agree.index(False)
    got, expected = inner.pairs[worst]
    if comparison.entries == () and got.ndim == 0:
        return Finding("numbers", "", f"{comparison.name} is not the one expected")

    differences = _differences(got, expected)
    flat_place = int(np.argmax(differences))
    place = np.unravel_index(flat_place, got.shape)
    text = f"{_name(comparison, inner, worst, place)} has "
    text += _values(comparison, got[place], expected[place])
    if comparison.entries == () and place:
        places = comparison.case.places(comparison.name, comparison.draws[worst])
        text += f" {places[flat_place]}"
    if got.size > 1:
        # by the tolerance that decides whether the whole array is right, relative to its largest
        scale = np.abs(expected[np.isfinite(expected)]).max(initial=0.0) or 1.0
        n_different = int((differences > TOLERANCE * scale).sum())
        text += f"; {n_different} of {got.size} entries differ"

    if not np.isfinite(got[place]):
        text += _large_inputs(inner, worst)
        id = "NaN" if np.isnan(got[place]) else "infinity"
        return Finding("numbers", id, text, NOT_FINITE)
    what = "one entry" if got.ndim else "number"
    question = (
        f"Work out this {what} by hand, from the text: which of your lines is the first to give "
        "something else?"
    )
    return Finding("numbers", "", text, question)


def _large_inputs(comparison: Comparison, index: int) -> str:
    """Return the range of each input of a draw with numbers whose exponential may be no float."""
    names = comparison.case.exercise.argument_names(comparison.call)
    text = ""
    for name, own_name in names.items():
        x = comparison.draws[index].inputs[name]
        if not isinstance(x, np.ndarray) or x.dtype.kind != "f":
            continue
        if np.abs(x).max(initial=0.0) >= LARGE:
            text += f"; {own_name} has numbers from {x.min():.4g} to {x.max():.4g}"
    return text


def _differences(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the magnitudes of the differences; NaN is infinitely far from all but NaN."""
    # booleans cannot be subtracted, and differences of small integers overflow
    wide = got.dtype
    if wide.kind != "c":
        wide = np.dtype(np.float64)
    with np.errstate(all="ignore"):
        # equal infinities are equal, though their difference is NaN
        differences = np.where(got == expected, 0, np.abs(got.astype(wide) - expected))
    both_nan = np.isnan(got) & np.isnan(expected)
    return np.where(np.isnan(differences), np.where(both_nan, 0, np.inf), differences)


def worst_draw(comparison: Comparison) -> int:
    """Return the draw with the largest error; NaN has the largest of all."""
    return int(np.argmax([error(got, right) for got, right in comparison.pairs]))


def _name(comparison: Comparison, inner: Comparison, worst: int, place: tuple) -> str:
    """Return the result and the place in it."""
    entries = comparison.entries
    name = comparison.name
    if name.isidentifier():
        name = f"your {name}"
    if place and entries != ():
        # int, because NumPy writes its own as np.int64(3)
        name = f"at {list(map(int, place))} {name}"
    if entries and inner is not comparison:
        # `inner` has all entries of the first draw, then all of the second, and so on
        return f"{entries[worst % len(entries)]}, {name}"
    return name


def _values(comparison: Comparison, got: np.generic, expected: np.generic) -> str:
    """Return both numbers with as many digits as tell them apart."""
    # 0.3333, expected 0.3333 would say nothing
    digits = 4
    while digits < MAX_DIGITS and _formatted(got, digits) == _formatted(expected, digits):
        digits += 1
    fill_value = comparison.case.exercise.fill_values.get(comparison.name)
    got_text = _formatted(got, digits)
    expected_text = _formatted(expected, digits)
    # our own number for a result that was not given would puzzle a student
    if got == fill_value:
        got_text = "nothing"
    if expected == fill_value:
        expected_text = "nothing"
    return f"{got_text}, expected {expected_text}"


def _formatted(x: Any, digits: int) -> str:
    if np.isnan(x):
        return "NaN"
    if x.dtype.kind in "biu":
        return str(x)
    return f"{x + 0:.{digits}g}"  # + 0 makes -0 a 0
