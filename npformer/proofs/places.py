"""Where alone a wrong array is wrong: at padding, where a mask is False, at the last position, in one head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .comparisons import TOLERANCE, Fact, Wrong, axis_letter, placed

MOST_INDICES, LARGEST_ID = 8, 100_000
MOSTLY = 0.6  # a place is told if it was not all there is on as many of the draws
NOUNS = {"T": "position", "S": "source position", "H": "head", "B": "sentence"}


class Place(NamedTuple):
    """Some entries of an array, a boolean array a draw: an id, and words for where they are."""

    id: str
    text: str
    entries: list[np.ndarray]


def where(wrong: Wrong) -> Fact | None:
    """Tell the smallest place outside which everything is right, on every draw."""
    shapes = zip(wrong.got, wrong.expected, strict=True)
    if wrong.ndim == 0 or any(g.shape != e.shape for g, e in shapes):
        return None
    bad = [differs(g, e) for g, e in zip(wrong.got, wrong.expected, strict=True)]
    if sum(b.any() for b in bad) < min(2, len(bad)):
        return None
    # a whole number, a flag or an id is soon right by luck: of those more must be right than can be wrong
    whole = all(np.array_equal(e, np.round(e)) for e in wrong.expected)
    best, smallest = None, 0.5 if whole else 1.0
    for place in places(wrong, bad):
        entries = [np.broadcast_to(p, b.shape) for p, b in zip(place.entries, bad, strict=True)]
        inside = all((p | ~b).all() for p, b in zip(entries, bad, strict=True))
        telling = np.mean([not p.all() for p, b in zip(entries, bad, strict=True) if b.any()]) >= MOSTLY
        telling &= any(e[~p].any() for e, p, b in zip(wrong.expected, entries, bad, strict=True) if b.any())
        share = sum(p.sum() for p in entries) / sum(p.size for p in entries)
        if inside and telling and share < smallest:
            best, smallest = place, share
    if best is None:
        return None
    came = "; 0 came there" if all(not g[b].any() for g, b in zip(wrong.got, bad, strict=True)) else ""
    return Fact(f"only {best.id}", f"is wrong only {best.text}{came}")


def differs(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return which entries are wrong."""
    return np.abs(got - expected) > TOLERANCE * (np.abs(expected).max(initial=0.0) or 1.0)


def places(wrong: Wrong, bad: list[np.ndarray]) -> Iterator[Place]:
    """Yield the places to ask about, where these entries are wrong; of two that are equally small the first is told."""
    yield from places_of_masks(wrong)
    yield from places_of_ids(wrong)
    yield from places_along_axes(wrong, bad)
    yield from places_in_squares(wrong)
    yield from places_of_signs(wrong)


def leading(arrays: list[np.ndarray], like: list[np.ndarray]) -> Iterator[list[np.ndarray]]:
    """Yield the arrays as they lie on the axes of others, where they are not larger."""
    if arrays[0].ndim <= like[0].ndim:
        yield from placed(arrays, like)


def places_of_masks(wrong: Wrong) -> Iterator[Place]:
    """Yield where boolean inputs are False, or have no True at all in a row."""
    for name, masks in wrong.arrays("b").items():
        called = "the mask" if "mask" in name or name.startswith("input") else name
        for way in leading(masks, wrong.expected):
            yield Place("where the mask is False", f"where {called} is False", [~m for m in way])
            yield Place("where the mask is True", f"where {called} is True", way)
        rows, columns = [m.any(-1) for m in masks], [m.any(-2) for m in masks if m.ndim > 1]
        for seen, kind in ((rows, "rows"), (columns, "columns")):
            if len(seen) == len(masks) and seen[0].ndim:
                for way in leading(seen, wrong.expected):
                    text = f"in the {kind} of {called} without any True"
                    yield Place(f"in {kind} without any True", text, [~m for m in way])


def places_of_ids(wrong: Wrong) -> Iterator[Place]:
    """Yield where ids are padding or repeat: at their positions, and in the rows of a table of their vectors.

    Where nothing is padding, its id is one like the others, at which something may be wrong all the same.
    """
    padding = f"id {wrong.padding[0]}" if len({*wrong.padding}) == 1 else "padding"
    kind = "padding" if wrong.padded else padding
    for name, ids in wrong.arrays("iu").items():
        small = [x.min(initial=0) >= 0 and x.max(initial=0) < LARGEST_ID for x in ids]
        counts = [np.bincount(x.ravel(), minlength=1) for x in ids] if all(small) else []
        if len(counts) < len(ids):
            continue
        for way in leading(ids, wrong.expected):
            pads = zip(way, wrong.padding, strict=True)
            yield Place(f"at {kind}", f"where {name} has {padding}", [x == pad for x, pad in pads])
            again = [c[x] > 1 for x, c in zip(way, counts, strict=True)]
            yield Place("where ids repeat", f"where an id of {name} stands more than once", again)
        if wrong.ndim != 2 or any(len(c) > len(e) for c, e in zip(counts, wrong.expected, strict=True)):
            continue
        rows = [np.pad(c, (0, len(e) - len(c)))[:, None] for c, e in zip(counts, wrong.expected, strict=True)]
        pad = [(np.arange(len(c)) == id)[:, None] for c, id in zip(rows, wrong.padding, strict=True)]
        yield Place(f"in the row of {kind}", f"in the row of {padding}", pad)
        yield Place("at repeated ids", f"in the rows of ids that {name} has more than once", [c > 1 for c in rows])
        text = f"in the rows of {padding} and of ids that {name} has more than once"
        both = [(c > 1) | p for c, p in zip(rows, pad, strict=True)]
        yield Place("at repeated ids", text, both)
        yield Place("at absent ids", f"in the rows of ids that {name} does not have", [c == 0 for c in rows])


def places_along_axes(wrong: Wrong, bad: list[np.ndarray]) -> Iterator[Place]:
    """Yield single indices along each axis, and what lies on one side of an index at which something is wrong."""
    for axis in wrong.axes:
        lengths = [e.shape[axis] for e in wrong.expected]
        if max(lengths) < 2:
            continue
        letter = axis_letter(wrong, axis)
        noun = NOUNS.get(letter, "index")
        along = "" if letter in NOUNS else f" along axis {axis}" + (f" ({letter})" if letter else "")
        at = [np.arange(n).reshape([-1 if k == axis else 1 for k in range(wrong.ndim)]) for n in lengths]
        last = [i == n - 1 for i, n in zip(at, lengths, strict=True)]
        yield Place(f"at the last {noun}{along}", f"at the last {noun}{along}", last)
        yield Place(f"at the first {noun}{along}", f"at the first {noun}{along}", [i == 0 for i in at])
        for k in range(1, min(*lengths, MOST_INDICES)):
            yield Place(f"at one {noun}{along}", f"at {noun} {k}{along} (counted from 0)", [i == k for i in at])
        hit = [b.any(axis=tuple(k for k in range(wrong.ndim) if k != axis)) for b in bad]
        yield from places_beside_borders(wrong, hit, at, f"{noun}{along}", lengths)


def places_beside_borders(wrong: Wrong, hit: list, at: list, noun: str, lengths: list[int]) -> Iterator[Place]:
    """Yield what lies on one side of a border along an axis, where the index beside it is wrong, on every draw.

    `hit` tells at which indices along the axis something is wrong, `at` is where they lie.
    """
    backwards = [h[::-1] for h in hit]
    for index, borders in borders_along(wrong, lengths):
        called = noun.replace("index", f"index {index}", 1) if noun.startswith("index") else f"{noun} {index}"
        if reach(hit, borders):
            behind = [i >= n for i, n in zip(at, borders, strict=True)]
            first = f"after the first {noun}"
            yield (
                Place(first, first, behind) if index == "1" else Place(f"from one {noun}", f"from {called} on", behind)
            )
        if reach(backwards, [n - k for n, k in zip(lengths, borders, strict=True)]):
            yield Place(f"before one {noun}", f"before {called}", [i < n for i, n in zip(at, borders, strict=True)])
    if reach(backwards, [1] * len(hit)):
        text = f"before the last {noun}"
        yield Place(text, text, [i < n - 1 for i, n in zip(at, lengths, strict=True)])


def borders_along(wrong: Wrong, lengths: list[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield where along an axis something may begin or end: an index, or a size of the draws."""
    yield "1", [1] * len(lengths)
    for k in range(2, min(*lengths, MOST_INDICES)):
        yield f"{k} (counted from 0)", [k] * len(lengths)
    for letter in wrong.sizes[0]:
        sizes = [one[letter] for one in wrong.sizes]
        if len({*sizes}) > 1 and all(n <= length for n, length in zip(sizes, lengths, strict=True)):
            yield letter, sizes


def reach(hit: list[np.ndarray], borders: list[int]) -> bool:
    """Tell whether something is wrong right at the border wherever anything is: nothing narrower could be said."""
    return all(n < len(h) and h[n] for h, n in zip(hit, borders, strict=True) if h.any())


def places_in_squares(wrong: Wrong) -> Iterator[Place]:
    """Yield the diagonal of the last two axes, and the two sides of it."""
    if wrong.ndim < 2 or any(e.shape[-1] != e.shape[-2] for e in wrong.expected):
        return
    sides = [np.subtract.outer(np.arange(e.shape[-1]), np.arange(e.shape[-1])) for e in wrong.expected]
    yield Place("on the diagonal", "on the diagonal", [side == 0 for side in sides])
    yield Place("off the diagonal", "off the diagonal", [side != 0 for side in sides])
    yield Place("above the diagonal", "above the diagonal", [side < 0 for side in sides])
    yield Place("below the diagonal", "below the diagonal", [side > 0 for side in sides])


def places_of_signs(wrong: Wrong) -> Iterator[Place]:
    """Yield where an input of the same shape is negative, 0 or positive."""
    for name, arrays in wrong.arrays().items():
        if all(x.shape == e.shape for x, e in zip(arrays, wrong.expected, strict=True)):
            yield Place(f"where {name} is 0", f"where {name} is 0", [x == 0 for x in arrays])
            yield Place(f"where {name} is negative", f"where {name} is negative", [x < 0 for x in arrays])
            yield Place(f"where {name} is positive", f"where {name} is positive", [x > 0 for x in arrays])
