"""Where along an axis a wrong array is wrong: at one index, or on one side of a border."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .mismatch import Wrong, axis_letter

MOST_INDICES = 8
NOUNS = {"T": "position", "S": "source position", "H": "head", "B": "sentence"}


class Place(NamedTuple):
    """Some entries of an array, a boolean array a draw: an id, and words for where they are."""

    id: str
    text: str
    entries: list[np.ndarray]


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
