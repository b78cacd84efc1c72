"""The region in which alone an array is wrong: padding, where a mask is False, the last position, one head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .mismatch import TOLERANCE, Fact, Wrong, axis_letter, placed

LARGEST_ID = 100_000
MAX_INDICES = 8
MIN_SHARE_OF_DRAWS = 0.6  # on so many of the draws the region must be a part of the array, not all of it
NOUNS = {"T": "position", "S": "source position", "H": "head", "B": "sentence"}


class Place(NamedTuple):
    """A region of an array: an id, words for where it is, and a boolean array per draw."""

    id: str
    text: str
    entries: list[np.ndarray]


def where(wrong: Wrong) -> Fact | None:
    """Return the smallest region outside which everything is right, on every draw."""
    shapes = zip(wrong.got, wrong.expected, strict=True)
    if wrong.ndim == 0 or any(g.shape != e.shape for g, e in shapes):
        return None
    bad = [_differs(g, e) for g, e in zip(wrong.got, wrong.expected, strict=True)]
    if sum(b.any() for b in bad) < min(2, len(bad)):
        return None
    # a whole number, a flag or an id is easily right by chance: more of them must be right than can be wrong
    whole = all(np.array_equal(e, np.round(e)) for e in wrong.expected)
    best, smallest = None, 0.5 if whole else 1.0
    for place in _places(wrong):
        entries = [np.broadcast_to(p, b.shape) for p, b in zip(place.entries, bad, strict=True)]
        inside = all((p | ~b).all() for p, b in zip(entries, bad, strict=True))
        telling = np.mean([not p.all() for p, b in zip(entries, bad, strict=True) if b.any()]) >= MIN_SHARE_OF_DRAWS
        telling &= any(e[~p].any() for e, p, b in zip(wrong.expected, entries, bad, strict=True) if b.any())
        share = sum(p.sum() for p in entries) / sum(p.size for p in entries)
        if inside and telling and share < smallest:
            best, smallest = place, share
    if best is None:
        return None
    zeros = "; 0 came there" if all(not g[b].any() for g, b in zip(wrong.got, bad, strict=True)) else ""
    return Fact(f"only {best.id}", f"is wrong only {best.text}{zeros}")


def _differs(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return np.abs(got - expected) > TOLERANCE * (np.abs(expected).max(initial=0.0) or 1.0)


def _places(wrong: Wrong) -> Iterator[Place]:
    """Yield the regions to compare; of two of one size the first is reported."""
    yield from _places_of_masks(wrong)
    yield from _places_of_ids(wrong)
    yield from _places_along_axes(wrong)
    if wrong.ndim >= 2 and all(e.shape[-1] == e.shape[-2] for e in wrong.expected):
        sides = [np.subtract.outer(np.arange(e.shape[-1]), np.arange(e.shape[-1])) for e in wrong.expected]
        yield Place("on the diagonal", "on the diagonal", [side == 0 for side in sides])
        yield Place("above the diagonal", "above the diagonal", [side < 0 for side in sides])
        yield Place("below the diagonal", "below the diagonal", [side > 0 for side in sides])


def _placed(arrays: list[np.ndarray], like: list[np.ndarray]) -> Iterator[list[np.ndarray]]:
    if arrays[0].ndim <= like[0].ndim:
        yield from placed(arrays, like)


def _places_of_masks(wrong: Wrong) -> Iterator[Place]:
    """Yield where boolean inputs are False or True, and their rows with one True or none."""
    for name, masks in wrong.arrays("b").items():
        called = "the mask" if "mask" in name or name.startswith("input") else name
        for way in _placed(masks, wrong.expected):
            yield Place("where the mask is False", f"where {called} is False", [~m for m in way])
            yield Place("where the mask is True", f"where {called} is True", way)
        for way in _placed([m.sum(-1) == 1 for m in masks], wrong.expected):
            yield Place("in rows with one True", f"in the rows of {called} with exactly one True", way)
        for way in _placed([m.any(-1) for m in masks], wrong.expected):
            text = f"in the rows of {called} without any True"
            yield Place("in rows without any True", text, [~m for m in way])


def _places_of_ids(wrong: Wrong) -> Iterator[Place]:
    """Yield where ids are padding or repeated: at their positions, and in the rows of an embedding matrix."""
    padding = f"id {wrong.padding[0]}" if len({*wrong.padding}) == 1 else "padding"
    kind = "padding" if wrong.padded else padding
    for name, ids in wrong.arrays("iu").items():
        if not all(x.min(initial=0) >= 0 and x.max(initial=0) < LARGEST_ID for x in ids):
            continue
        counts = [np.bincount(x.ravel(), minlength=1) for x in ids]
        for way in _placed(ids, wrong.expected):
            pads = zip(way, wrong.padding, strict=True)
            yield Place(f"at {kind}", f"where {name} has {padding}", [x == pad for x, pad in pads])
            repeated = [c[x] > 1 for c, x in zip(counts, way, strict=True)]
            yield Place("where ids repeat", f"where {name} has an id more than once", repeated)
        if wrong.ndim != 2 or any(len(c) > len(e) for c, e in zip(counts, wrong.expected, strict=True)):
            continue
        rows = [np.pad(c, (0, len(e) - len(c)))[:, None] for c, e in zip(counts, wrong.expected, strict=True)]
        pad = [(np.arange(len(c)) == p)[:, None] for c, p in zip(rows, wrong.padding, strict=True)]
        yield Place(f"in the row of {kind}", f"in the row of {padding}", pad)
        yield Place("at repeated ids", f"in the rows of ids that {name} has more than once", [c > 1 for c in rows])
        yield Place("at absent ids", f"in the rows of ids that {name} does not have", [c == 0 for c in rows])


def _places_along_axes(wrong: Wrong) -> Iterator[Place]:
    """Yield single indices along each axis, and everything after the first or before the last."""
    for axis in wrong.axes:
        lengths = [e.shape[axis] for e in wrong.expected]
        if max(lengths) < 2:
            continue
        letter = axis_letter(wrong, axis)
        noun = NOUNS.get(letter) or f"index along axis {axis}" + (f" ({letter})" if letter else "")
        at = [np.arange(n).reshape([-1 if k == axis else 1 for k in range(wrong.ndim)]) for n in lengths]
        last = [i == n - 1 for i, n in zip(at, lengths, strict=True)]
        for text, entries in (
            (f"at the last {noun}", last),
            (f"at the first {noun}", [i == 0 for i in at]),
            (f"after the first {noun}", [i > 0 for i in at]),
            (f"before the last {noun}", [~i for i in last]),
        ):
            yield Place(text, text, entries)
        for k in range(1, min(*lengths, MAX_INDICES)):
            text = f"at {noun.replace('index', f'index {k}') if 'index' in noun else f'{noun} {k}'} (counted from 0)"
            yield Place(f"at one {noun}", text, [i == k for i in at])
