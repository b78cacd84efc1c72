"""Random inputs on which a wrong answer shows: different sizes, gains that are not 1, repeated ids."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .exercise import Exercise

SMALLEST, LARGEST, EQUAL = 2, 8, 4
USUAL = {"H": (2, 4), "V": (6, 12), "N": (2, 4)}  # heads, vocabulary, layers
N_DRAWS = 3
PAD = 0
N_WORDS = 3  # a sentence with padding inside has more


@dataclass(frozen=True)
class Sample:
    """One draw: the sizes by letter, the inputs by name, and whether some ids may be padding."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, object]
    padded: bool


class Draw:
    """The source of an exercise's inputs.

    Usually masks and ids have at fixed places what a mistake shows at; `loose` ones are drawn freely, so that nothing
    is true of them only because of the way in which they are drawn. With `lowest`, numbers that may be 0 are 0.
    """

    def __init__(self, rng: np.random.Generator, *, loose: bool = False, lowest: bool = False):
        self.rng = rng
        self.loose = loose
        self.lowest = lowest
        self.padded = False

    def normal(self, *shape: int) -> np.ndarray:
        """Draw floats of order 1."""
        return self.rng.normal(size=shape)

    def gain(self, *shape: int) -> np.ndarray:
        """Draw gains around 1, but not near it."""
        return 1 + self.rng.uniform(0.3, 0.9, shape) * self.rng.choice([-1, 1], shape)

    def uniform(self, low: float, high: float) -> float:
        """Draw one number."""
        return float(self.rng.uniform(low, high))

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number above `low`, up to `high`; `low` itself in every third draw."""
        number = int(self.rng.integers(low + 1, high + 1))
        return low if self.lowest else number

    def mask(self, *shape: int, empty: bool = False) -> np.ndarray:
        """Draw a mask (..., T, S), True where attention may go, a third hidden; with `empty` one row is all False.

        Of three rows or more the first has a single True.
        """
        mask = self.rng.random(shape) > 1 / 3
        rows = mask.reshape(-1, shape[-1])
        if self.loose:
            mask |= np.arange(shape[-1]) == self.rng.integers(shape[-1], size=(*shape[:-1], 1))
        else:
            mask[..., 0] = True
            mask[..., 0, -1] = shape[-1] == 1
            if len(rows) > 2:
                rows[0, 1:] = False
        if empty:
            rows[shape[-2] - 1] = False
        return mask

    def ids(
        self, *shape: int, vocab_size: int, pad: bool = True, inside: bool = False
    ) -> np.ndarray:
        """Draw ids (..., T) from 1 on, the first repeated; with `pad` the later sentences end in padding, id 0.

        With `inside` the first sentence, if it is long enough, has padding before its last word too.
        """
        ids = self.rng.integers(1, vocab_size, shape)
        if shape[-1] > 1 and not self.loose:
            ids[..., 1] = ids[..., 0]
        if pad and len(shape) == 2:
            for row in range(0 if self.loose else 1, shape[0]):
                length = (
                    self.rng.integers(2, shape[1] + 1)
                    if self.loose and shape[1] > 1
                    else shape[1] - row
                )
                ids[row, max(1, length) :] = PAD
            if inside and shape[1] > N_WORDS:
                row, place = (
                    self.rng.integers((0, 2), (shape[0], shape[1] - 1)) if self.loose else (0, -2)
                )
                ids[row, place] = PAD
            self.padded = True
        return ids


def draw(exercise: Exercise, seed: int, index: int, *, loose: bool = False) -> Sample:
    """Return the draw of this index: all sizes differ, except in every third draw, in which all are equal.

    In the draw before that, sizes that may be 0 are 0. `loose` masks and ids are drawn freely: see `Draw`.
    """
    rng = np.random.default_rng([seed, index, zlib.crc32(exercise.id.encode())])
    letters = list(inspect.signature(exercise.inputs).parameters)[1:]
    ranges = {
        letter: exercise.sizes.get(letter, USUAL.get(letter, (SMALLEST, LARGEST)))
        for letter in letters
    }
    sizes: dict[str, int] = {}
    lowest = index % N_DRAWS == N_DRAWS - 2
    for letter, (low, high) in sorted(ranges.items(), key=lambda entry: entry[1][1] - entry[1][0]):
        free = [size for size in range(low or 1, high + 1) if size not in sizes.values()]
        sizes[letter] = int(rng.choice(free or [high])) * (low > 0 or not lowest)
        if index % N_DRAWS == N_DRAWS - 1:
            sizes[letter] = min(max(EQUAL, low), high)
    sizes = {letter: sizes[letter] for letter in letters}
    source = Draw(rng, loose=loose, lowest=lowest)
    return Sample(sizes, exercise.inputs(source, **sizes), source.padded)
