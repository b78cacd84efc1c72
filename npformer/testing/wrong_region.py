"""The region in which alone an array is wrong: padding, where a mask is False, the last position, one head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .mismatch import TOLERANCE, Fact, Mismatch, broadcasts

LARGEST_ID = 100_000
MAX_INDICES = 8
MIN_SHARE_OF_DRAWS = (
    0.6  # on this share of the draws the region must be a part of the array, not all of it
)
NOUNS = {"T": "position", "S": "source position", "H": "head", "B": "sentence"}
Region = tuple[
    str, str, list[np.ndarray]
]  # an id, words for where it is, and a boolean array per draw


def wrong_region(wrong: Mismatch) -> Fact | None:
    """Return the smallest region outside which everything is right, on every draw, the first of two of one size."""
    if wrong.ndim == 0 or not wrong.same_shapes:
        return None
    draws = list(zip(wrong.got, wrong.expected, strict=True))
    bad = [np.abs(g - e) > TOLERANCE * (np.abs(e).max(initial=0.0) or 1.0) for g, e in draws]
    if sum(b.any() for b in bad) < min(2, len(bad)):
        return None
    # a whole number, a flag or an id is easily right by chance: more of them must be right than can be wrong
    whole = all(np.array_equal(e, np.round(e)) for e in wrong.expected)
    best, smallest = None, 0.5 if whole else 1.0
    for id, text, region in [
        *_regions_of_masks(wrong),
        *_regions_of_ids(wrong),
        *_regions_along_axes(wrong),
    ]:
        entries = [np.broadcast_to(r, b.shape) for r, b in zip(region, bad, strict=True)]
        wrong_draws = [
            (e, r, b) for e, r, b in zip(wrong.expected, entries, bad, strict=True) if b.any()
        ]
        inside = all((r | ~b).all() for _, r, b in wrong_draws)
        telling = np.mean([not r.all() for _, r, _ in wrong_draws]) >= MIN_SHARE_OF_DRAWS
        telling &= any(e[~r].any() for e, r, _ in wrong_draws)
        share = (size := sum(r.sum() for r in entries)) / sum(r.size for r in entries)
        telling &= (
            "index" not in id or share < 0.5 or 2 * sum(b.sum() for b in bad) > size
        )  # else it may be chance
        if inside and telling and share < smallest:
            best, smallest = (id, text), share
    zeros = (
        "; 0 came there" if all(not g[b].any() for g, b in zip(wrong.got, bad, strict=True)) else ""
    )
    return Fact(f"only {best[0]}", f"is wrong only {best[1]}{zeros}") if best else None


def _regions_of_masks(wrong: Mismatch) -> Iterator[Region]:
    """Yield where boolean inputs are False or True, and their rows without any True."""
    for name, masks in wrong.arrays("b").items():
        called = "the mask" if "mask" in name or name.startswith("input") else name
        for way in broadcasts(masks, wrong.expected):
            yield "where the mask is False", f"where {called} is False", [~m for m in way]
            yield "where the mask is True", f"where {called} is True", way
        for way in broadcasts([~m.any(-1) for m in masks], wrong.expected):
            yield "in rows without any True", f"in the rows of {called} without any True", way


def _regions_of_ids(wrong: Mismatch) -> Iterator[Region]:
    """Yield where ids are padding or repeated: at their positions, and in the rows of an embedding matrix."""
    padding = f"id {wrong.padding[0]}" if len({*wrong.padding}) == 1 else "padding"
    kind = "padding" if wrong.padded else padding
    for name, ids in wrong.arrays("iu").items():
        if not all(x.min(initial=0) >= 0 and x.max(initial=0) < LARGEST_ID for x in ids):
            continue
        counts = [np.bincount(x.ravel(), minlength=1) for x in ids]
        for way in broadcasts(ids, wrong.expected):
            pads = zip(way, wrong.padding, strict=True)
            yield f"at {kind}", f"where {name} has {padding}", [x == pad for x, pad in pads]
            repeated = [c[x] > 1 for c, x in zip(counts, way, strict=True)]
            yield "where ids repeat", f"where {name} has an id more than once", repeated
        if wrong.ndim != 2 or any(
            len(c) > len(e) for c, e in zip(counts, wrong.expected, strict=True)
        ):
            continue
        rows = [
            np.pad(c, (0, len(e) - len(c)))[:, None]
            for c, e in zip(counts, wrong.expected, strict=True)
        ]
        pad = [(np.arange(len(c)) == p)[:, None] for c, p in zip(rows, wrong.padding, strict=True)]
        yield f"in the row of {kind}", f"in the row of {padding}", pad
        yield (
            "at repeated ids",
            f"in the rows of ids that {name} has more than once",
            [c > 1 for c in rows],
        )
        yield "at present ids", f"in the rows of ids that {name} has", [c > 0 for c in rows]
        yield (
            "at absent ids",
            f"in the rows of ids that {name} does not have",
            [c == 0 for c in rows],
        )


def _regions_along_axes(wrong: Mismatch) -> Iterator[Region]:
    """Yield single indices along each axis, and everything after the first or before the last."""
    for axis in range(wrong.first_axis, wrong.ndim):
        lengths = [e.shape[axis] for e in wrong.expected]
        if max(lengths) < 2:
            continue
        noun = NOUNS.get(
            letter := wrong.letter(axis)
        ) or f"index along axis {axis}" + f" ({letter})" * bool(letter)
        at = [
            np.arange(n).reshape([-1 if k == axis else 1 for k in range(wrong.ndim)])
            for n in lengths
        ]
        last = [i == n - 1 for i, n in zip(at, lengths, strict=True)]
        for text, entries in (
            (f"at the last {noun}", last),
            (f"at the first {noun}", [i == 0 for i in at]),
            (f"after the first {noun}", [i > 0 for i in at]),
            (f"before the last {noun}", [~i for i in last]),
        ):
            yield text, text, entries
        for k in range(1, min(*lengths, MAX_INDICES)):
            index = noun.replace("index", f"index {k}") if "index" in noun else f"{noun} {k}"
            yield f"at one {noun}", f"at {index} (counted from 0)", [i == k for i in at]
