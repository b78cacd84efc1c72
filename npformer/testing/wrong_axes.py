"""When a wrong array has the right numbers in wrong places, or is another array altogether."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .mismatch import Fact, Wrong, agree, axis_letter, placed


def orders(wrong: Wrong) -> Iterator[tuple[int, ...]]:
    """Yield the orders of the axes but the first, those that exchange two axes before the others."""
    if wrong.ndim <= 5:
        every = (tuple([*range(wrong.first_axis), *order]) for order in permutations(wrong.axes))
        yield from sorted(every, key=lambda order: sum(i != axis for i, axis in enumerate(order)))[1:]


def permuted(wrong: Wrong) -> Fact | None:
    """Tell in which order the axes of the right array would give this one."""
    for order in orders(wrong):
        if wrong.fits(e.transpose(order) for e in wrong.expected):
            if wrong.ndim == 2:
                return Fact("transposed", "is the transpose of the right one")
            return Fact("transposed", f"is the right one with its axes in the order {said_order(wrong, order)}")
    return None


def reordered(wrong: Wrong) -> Fact | None:
    """Tell in which order the right numbers were read: of other axes, or backwards."""
    for order in orders(wrong):
        if wrong.fits(e.transpose(order).reshape(e.shape) for e in wrong.expected):
            axes = said_order(wrong, order)
            text = f"holds the right numbers as they stand with the axes in the order {axes}, read row by row"
            return Fact("reshaped", text)
    for axis in wrong.axes:
        if wrong.fits(np.flip(e, axis) for e in wrong.expected):
            return Fact("reversed", f"is the right one read backwards along {said_axis(wrong, axis)}")
    return None


def elsewhere(wrong: Wrong) -> Fact | None:
    """Tell that all the right numbers are there, in other places."""
    distinct = all(len(np.unique(e)) == e.size for e in wrong.expected)
    pairs = zip(wrong.got, wrong.expected, strict=True)
    if distinct and all(agree(np.sort(g, None), np.sort(e, None)) for g, e in pairs):
        return Fact("other places", "holds the right numbers in other places")
    return None


def moved(wrong: Wrong) -> Fact | None:
    """Tell that each entry is the right one of the neighbour along an axis."""
    pairs = list(zip(wrong.got, wrong.expected, strict=True))
    for axis in wrong.axes:
        lengths = [e.shape[axis] for e in wrong.expected]
        if min(lengths) < 2 or max(lengths) < 3:
            continue
        head, tail = [slice(None)] * axis + [slice(None, -1)], [slice(None)] * axis + [slice(1, None)]
        for mine, other, whose in ((head, tail, "next"), (tail, head, "one before")):
            mine, other = tuple(mine), tuple(other)
            shifted = all(g.shape == e.shape and e[other].any() and agree(g[mine], e[other]) for g, e in pairs)
            if shifted:
                text = f"has along {said_axis(wrong, axis)} at each place the right numbers of the {whose}"
                return Fact("moved by one", text)
    return None


def said_axis(wrong: Wrong, axis: int) -> str:
    """Return how an axis is called."""
    letter = axis_letter(wrong, axis)
    return f"axis {axis}" + (f" ({letter})" if letter else "")


def said_order(wrong: Wrong, order: tuple[int, ...]) -> str:
    """Return an order of axes in letters, or in numbers where an axis has no letter."""
    named = [axis_letter(wrong, axis) for axis in order]
    return f"({', '.join(named)})" if all(named) else str(order)


def spread(wrong: Wrong) -> Fact | None:
    """Tell that the right numbers were summed or averaged along an axis and stand there everywhere."""
    for axis in wrong.axes:
        if max(e.shape[axis] for e in wrong.expected) < 2:
            continue
        for how, reduce in (("sum", np.sum), ("mean", np.mean)):
            reduced = [reduce(e, axis=axis, keepdims=True) for e in wrong.expected]
            if any(r.any() for r in reduced) and wrong.fits(
                np.broadcast_to(r, e.shape) for r, e in zip(reduced, wrong.expected, strict=True)
            ):
                text = f"is along {said_axis(wrong, axis)} everywhere the {how} of the right one"
                return Fact(f"{how} everywhere", text)
    return None


def another(wrong: Wrong) -> Fact | None:
    """Tell that an input came back as it is, or that nothing but zeros came."""
    if not any(g.any() for g in wrong.got):
        return Fact("zeros", f"is 0{everywhere(wrong)}")
    for name, arrays in wrong.arrays().items():
        if wrong.fits(arrays):
            return Fact(f"is {name}", f"is {name}, unchanged")
        if arrays[0].ndim > 1 and wrong.fits(np.swapaxes(a, -1, -2) for a in arrays):
            return Fact(f"is {name} transposed", f"is the transpose of {name}")
    return None


def everywhere(wrong: Wrong) -> str:
    """Return " everywhere", and nothing for single numbers."""
    return " everywhere" * any(e.size > 1 for e in wrong.expected)


def offset(wrong: Wrong) -> Fact | None:
    """Tell that the right array is off by an input, or by the same number everywhere."""
    differences = [g - e for g, e in zip(wrong.got, wrong.expected, strict=True)]
    for name, arrays in wrong.arrays().items():
        for way in placed(arrays, wrong.expected):
            for sign, word in ((1, "plus"), (-1, "minus")):
                pairs = zip(wrong.expected, way, strict=True)
                if all(a.any() for a in way) and wrong.fits(e + sign * a for e, a in pairs):
                    return Fact(f"{word} {name}", f"is the right one {word} {name}")
    number = float(np.mean(differences[0]))
    several = max(e.size for e in wrong.expected) > 1 or len(wrong.expected) > 2
    if several and wrong.fits(e + number for e in wrong.expected):
        text = f"is {abs(number):.4g} too {'large' if number > 0 else 'small'}{everywhere(wrong)}"
        return Fact("off by a number", text)
    return None
