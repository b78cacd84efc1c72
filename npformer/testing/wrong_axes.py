"""The right numbers at other places, and other arrays in the place of the right one."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from .mismatch import Fact, Wrong, axis_letter, placed


def permuted(wrong: Wrong) -> Fact | None:
    """Return the order in which the axes of the right array would give this one, as they are or reshaped."""
    if wrong.ndim > 5:
        return None
    orders = [(*range(wrong.first_axis), *order) for order in permutations(wrong.axes)]
    for order in sorted(orders, key=lambda order: sum(i != axis for i, axis in enumerate(order)))[1:]:
        letters = [axis_letter(wrong, axis) for axis in order]
        named = f"({', '.join(letters)})" if all(letters) else str(order)
        if wrong.fits(e.transpose(order) for e in wrong.expected):
            axes = (
                "the transpose of the right one"
                if wrong.ndim == 2
                else f"the right one with its axes in the order {named}"
            )
            return Fact("transposed", f"is {axes}")
        if wrong.fits(e.transpose(order).reshape(e.shape) for e in wrong.expected):
            return Fact("reshaped", f"holds the right numbers as they are with the axes in the order {named}, reshaped")
    return None


def reversed_along(wrong: Wrong) -> Fact | None:
    """Return the axis along which the right array is reversed."""
    for axis in wrong.axes:
        if wrong.fits(np.flip(e, axis) for e in wrong.expected):
            letter = axis_letter(wrong, axis)
            return Fact("reversed", f"is the right one reversed along axis {axis}" + (f" ({letter})" if letter else ""))
    return None


def another(wrong: Wrong) -> Fact | None:
    """Return which input came back as it is, or that everything is zero."""
    if not any(g.any() for g in wrong.got):
        return Fact("zeros", f"is 0{_everywhere(wrong)}")
    for name, arrays in wrong.arrays().items():
        if wrong.fits(arrays):
            return Fact(f"is {name}", f"is {name}, unchanged")
        if arrays[0].ndim > 1 and wrong.fits(np.swapaxes(a, -1, -2) for a in arrays):
            return Fact(f"is {name} transposed", f"is the transpose of {name}")
    return None


def offset(wrong: Wrong) -> Fact | None:
    """Return the input, or the number, by which the right array is off."""
    for name, arrays in wrong.arrays().items():
        for way in placed(arrays, wrong.expected):
            for sign, word in ((1, "plus"), (-1, "minus")):
                pairs = zip(wrong.expected, way, strict=True)
                if all(a.any() for a in way) and wrong.fits(e + sign * a for e, a in pairs):
                    return Fact(f"{word} {name}", f"is the right one {word} {name}")
    if wrong.got[0].shape != wrong.expected[0].shape:
        return None
    number = float(np.mean(wrong.got[0] - wrong.expected[0]))
    several = max(e.size for e in wrong.expected) > 1 or len(wrong.expected) > 2
    if several and wrong.fits(e + number for e in wrong.expected):
        text = f"is {abs(number):.4g} too {'large' if number > 0 else 'small'}{_everywhere(wrong)}"
        return Fact("off by a number", text)
    return None


def _everywhere(wrong: Wrong) -> str:
    return " everywhere" * any(e.size > 1 for e in wrong.expected)
