"""Where alone a wrong array is wrong: at padding, where a mask is False, at the last position, in one head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .borders import Place, places_along_axes
from .mismatch import TOLERANCE, Fact, Wrong, placed

LARGEST_ID = 100_000
MOSTLY = 0.6  # a place is told if it was not all there is on as many of the draws


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
    """Yield where boolean inputs are False, or have one True in a row, or none."""
    for name, masks in wrong.arrays("b").items():
        called = "the mask" if "mask" in name or name.startswith("input") else name
        for way in leading(masks, wrong.expected):
            yield Place("where the mask is False", f"where {called} is False", [~m for m in way])
            yield Place("where the mask is True", f"where {called} is True", way)
        for way in leading([m.sum(-1) == 1 for m in masks], wrong.expected):
            yield Place("in rows with one True", f"in the rows of {called} with exactly one True", way)
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
