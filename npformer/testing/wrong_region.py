"""The only region in which an array is wrong, such as padding, hidden positions or one head."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .mismatch import TOLERANCE, Fact, Mismatch, broadcasts

# np.bincount makes as many counts as the largest id says
LARGEST_ID = 100_000
MAX_INDICES = 8
# on this share of the draws the region must be a part of the array, not all of it
MIN_SHARE_OF_DRAWS = 0.6
NOUNS = {"T": "position", "S": "source position", "H": "head", "B": "sentence"}


class Region(NamedTuple):
    """A part of an array.

    Arguments:
        id: For counting.
        text: Where it is, in words.
        inside: A boolean array per draw, which broadcasts to the array.
    """

    id: str
    text: str
    inside: list[np.ndarray]


def wrong_region(wrong: Mismatch) -> Fact | None:
    """Return the smallest region outside which everything is right, on every draw.

    Of two regions of one size it is the first.
    """
    if wrong.ndim == 0 or not wrong.same_shapes:
        return None
    bad = list(map(_differs, wrong.got, wrong.expected))
    n_wrong_draws = sum(b.any() for b in bad)
    # what is wrong on one draw alone may be in some region by chance
    if n_wrong_draws < min(2, len(bad)):
        return None

    # a whole number, a flag or an id is easily right by chance: more of them must be right
    # than can be wrong
    are_whole = all(np.array_equal(e, np.round(e)) for e in wrong.expected)
    smallest = 0.5 if are_whole else 1.0
    best = None
    for region in _regions(wrong):
        share = _share_of(region, wrong.expected, bad)
        if share is not None and share < smallest:
            best = region
            smallest = share
    if best is None:
        return None

    text = f"is wrong only {best.text}"
    if all(not got[b].any() for got, b in zip(wrong.got, bad, strict=True)):
        text += "; 0 came there"
    return Fact(f"only {best.id}", text)


def _differs(got: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return which entries of a computed array are wrong."""
    # errors are relative to the largest entry, unless all are 0
    largest = np.abs(expected).max(initial=0.0) or 1.0
    return np.abs(got - expected) > TOLERANCE * largest


def _share_of(region: Region, expected: list[np.ndarray], bad: list[np.ndarray]) -> float | None:
    """Return which share of the entries a region has, or None unless it tells where they are wrong.

    `bad` are the wrong entries on each draw.
    """
    n_entries = 0
    n_inside = 0
    n_wrong = 0
    # a region that is the whole array, or outside of which all is 0 anyway, tells nothing
    n_draws = 0
    n_parts = 0
    has_right_entry = False
    for e, region_of_draw, b in zip(expected, region.inside, bad, strict=True):
        inside = np.broadcast_to(region_of_draw, b.shape)
        n_entries += inside.size
        n_inside += inside.sum()
        n_wrong += b.sum()
        if not b.any():
            continue
        if (b & ~inside).any():
            return None
        n_draws += 1
        n_parts += not inside.all()
        has_right_entry = has_right_entry or e[~inside].any()
    if n_parts / n_draws < MIN_SHARE_OF_DRAWS or not has_right_entry:
        return None

    # one index of many may be wrong by chance
    share = n_inside / n_entries
    if "index" in region.id and share >= 0.5 and 2 * n_wrong <= n_inside:
        return None
    return share


def _regions(wrong: Mismatch) -> Iterator[Region]:
    """Yield all regions."""
    yield from _regions_of_masks(wrong)
    yield from _regions_of_ids(wrong)
    yield from _regions_along_axes(wrong)


def _regions_of_masks(wrong: Mismatch) -> Iterator[Region]:
    """Yield where boolean inputs are False or True, and their rows without any True."""
    for name, masks in wrong.arrays("b").items():
        is_mask = "mask" in name or name.startswith("input")
        noun = "the mask" if is_mask else name
        for aligned in broadcasts(masks, wrong.expected):
            hidden = [~mask for mask in aligned]
            yield Region("where the mask is False", f"where {noun} is False", hidden)
            yield Region("where the mask is True", f"where {noun} is True", aligned)

        empty = [np.asarray(~mask.any(-1)) for mask in masks]
        for aligned in broadcasts(empty, wrong.expected):
            text = f"in the rows of {noun} without any True"
            yield Region("in rows without any True", text, aligned)


def _regions_of_ids(wrong: Mismatch) -> Iterator[Region]:
    """Yield where ids are padding or repeated."""
    for name, ids in wrong.arrays("iu").items():
        if all(map(_can_be_ids, ids)):
            yield from _positions_of_ids(wrong, name, ids)
            yield from _rows_of_ids(wrong, name, ids)


def _can_be_ids(x: np.ndarray) -> bool:
    return x.min(initial=0) >= 0 and x.max(initial=0) < LARGEST_ID


def _positions_of_ids(wrong: Mismatch, name: str, ids: list[np.ndarray]) -> Iterator[Region]:
    """Yield the positions at which ids are padding or repeated."""
    padding, kind = _names_of_padding(wrong)
    for aligned in broadcasts(ids, wrong.expected):
        is_padding = []
        repeated = []
        for x, pad in zip(aligned, wrong.padding, strict=True):
            is_padding.append(x == pad)
            count = np.bincount(x.ravel(), minlength=1)
            repeated.append(count[x] > 1)
        yield Region(f"at {kind}", f"where {name} has {padding}", is_padding)
        text = f"where {name} has an id more than once"
        yield Region("where ids repeat", text, repeated)


def _rows_of_ids(wrong: Mismatch, name: str, ids: list[np.ndarray]) -> Iterator[Region]:
    """Yield the rows of an embedding matrix whose ids are padding, repeated, present or absent."""
    if wrong.ndim != 2:
        return
    padding, kind = _names_of_padding(wrong)
    # (V, 1) on each draw
    is_padding = []
    repeated = []
    present = []
    absent = []
    for x, e, pad in zip(ids, wrong.expected, wrong.padding, strict=True):
        count = np.bincount(x.ravel(), minlength=1)
        # the ids are not those of this matrix
        if len(count) > len(e):
            return
        count = np.pad(count, (0, len(e) - len(count)))[:, None]
        is_padding.append(np.arange(len(e))[:, None] == pad)
        repeated.append(count > 1)
        present.append(count > 0)
        absent.append(count == 0)

    yield Region(f"in the row of {kind}", f"in the row of {padding}", is_padding)
    text = f"in the rows of ids that {name} has more than once"
    yield Region("at repeated ids", text, repeated)
    yield Region("at present ids", f"in the rows of ids that {name} has", present)
    yield Region("at absent ids", f"in the rows of ids that {name} does not have", absent)


def _names_of_padding(wrong: Mismatch) -> tuple[str, str]:
    """Return what padding is called in a text, and in the id of a fact."""
    same_id = len(set(wrong.padding)) == 1
    padding = f"id {wrong.padding[0]}" if same_id else "padding"
    return padding, "padding" if wrong.padded else padding


def _regions_along_axes(wrong: Mismatch) -> Iterator[Region]:
    """Yield single indices along each axis, and everything after the first or before the last."""
    for axis in range(wrong.first_axis, wrong.ndim):
        lengths = [e.shape[axis] for e in wrong.expected]
        if max(lengths) < 2:
            continue

        noun = _noun_of_axis(wrong, axis)
        shape = [1] * wrong.ndim
        shape[axis] = -1
        at = []
        last = []
        first = []
        after_first = []
        before_last = []
        for n in lengths:
            i = np.arange(n).reshape(shape)
            at.append(i)
            last.append(i == n - 1)
            first.append(i == 0)
            after_first.append(i > 0)
            before_last.append(i < n - 1)
        for place, inside in (
            (f"at the last {noun}", last),
            (f"at the first {noun}", first),
            (f"after the first {noun}", after_first),
            (f"before the last {noun}", before_last),
        ):
            yield Region(place, place, inside)

        # index 0 is the first, which has been tried
        for k in range(1, min(*lengths, MAX_INDICES)):
            index = noun.replace("index", f"index {k}") if "index" in noun else f"{noun} {k}"
            text = f"at {index} (counted from 0)"
            yield Region(f"at one {noun}", text, [i == k for i in at])


def _noun_of_axis(wrong: Mismatch, axis: int) -> str:
    """Return what the entries along an axis are called."""
    letter = wrong.letter(axis)
    if letter in NOUNS:
        return NOUNS[letter]
    noun = f"index along axis {axis}"
    return f"{noun} ({letter})" if letter else noun
