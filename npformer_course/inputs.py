"""Random inputs on which a wrong answer shows: sizes that differ, gains unlike 1, repeated ids."""

from __future__ import annotations

import inspect
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .definition import Exercise

SMALLEST = 2  # the smallest size, if neither USUAL nor the exercise has one
LARGEST = 8
EQUAL = 4  # all sizes in a draw in which they are equal
USUAL = {"H": (2, 4), "V": (6, 12), "N": (2, 4)}  # heads, vocabulary, layers
N_DRAWS = 3
PLACE_OF_SMALLEST = 999  # among the draws of a seed: far behind all others
PAD = 0
N_WORDS = 3  # a sentence with padding inside has more


@dataclass(frozen=True)
class Draw:
    """One draw: the sizes by letter, the inputs by name, and whether some ids may be padding."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, object]
    padded: bool


class InputSource:
    """The source of an exercise's inputs.

    Usually masks and ids have at fixed places what a mistake shows at; `loose` ones are drawn
    freely, so that nothing is true of them only because of the way in which they are drawn. With
    `lowest`, numbers that may be 0 are 0.
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
        """Draw an integer above `low`, up to `high`; `low` itself in every third draw."""
        number = int(self.rng.integers(low + 1, high + 1))
        return low if self.lowest else number

    def mask(self, *shape: int, empty: bool = False) -> np.ndarray:
        """Draw a mask (..., T, S), True where attention may go, a third hidden.

        Of three rows or more the first has a single True. With `empty` one row is all False.
        """
        mask = self.rng.random(shape) > 1 / 3
        rows = mask.reshape(-1, shape[-1])  # a view
        if self.loose:  # at least one True in each row
            mask |= np.arange(shape[-1]) == self.rng.integers(shape[-1], size=(*shape[:-1], 1))
        else:
            # each row sees the first key; the first row does not see the last one, unless it is
            # the only one, so that something is hidden
            mask[..., 0] = True
            mask[..., 0, -1] = shape[-1] == 1
            if len(rows) > 2:
                rows[0, 1:] = False
        if empty:  # a row in which nothing may be seen: softmax has no value there
            rows[shape[-2] - 1] = False
        return mask

    def ids(
        self, *shape: int, vocab_size: int, pad: bool = True, inside: bool = False
    ) -> np.ndarray:
        """Draw ids (..., T) from 1 on, the first repeated.

        With `pad` the later sentences end in padding, id 0. With `inside` the first sentence, if it
        is long enough, has padding before its last word too.
        """
        ids = self.rng.integers(1, vocab_size, shape)
        if shape[-1] > 1 and not self.loose:
            ids[..., 1] = ids[..., 0]
        if pad and len(shape) == 2:
            self._pad_ends(ids)
            if inside and shape[1] > N_WORDS:
                self._pad_inside(ids)
            self.padded = True
        return ids

    def _pad_ends(self, ids: np.ndarray) -> None:
        n_sentences, longest = ids.shape
        for row in range(n_sentences):
            length = longest - row  # usually the first sentence has no padding
            if self.loose and longest > 1:
                length = int(self.rng.integers(2, longest + 1))
            # a sentence of padding alone has no word to attend to
            ids[row, max(1, length) :] = PAD

    def _pad_inside(self, ids: np.ndarray) -> None:
        n_sentences, longest = ids.shape
        # after at least two words, and before the last one
        if self.loose:
            row, place = self.rng.integers((0, 2), (n_sentences, longest - 1))
            ids[row, place] = PAD
        else:
            ids[0, -2] = PAD


def make_draw(exercise: Exercise, seed: int, index: int, *, loose: bool = False) -> Draw:
    """Return the draw of this index.

    All sizes differ, except in every third draw, in which all are equal. In the draw before that,
    sizes that may be 0 are 0. `loose` masks and ids are drawn freely: see `InputSource`.
    """
    rng = _generator(exercise, seed, index)
    ranges = {}
    letters = _letters(exercise)
    for letter in letters:
        usual = USUAL.get(letter, (SMALLEST, LARGEST))
        ranges[letter] = exercise.sizes.get(letter, usual)

    lowest = index % N_DRAWS == N_DRAWS - 2
    all_equal = index % N_DRAWS == N_DRAWS - 1
    drawn: dict[str, int] = {}
    # letters with few sizes come first, so that a free one is left for them
    for letter in sorted(letters, key=lambda letter: _width(ranges[letter])):
        low, high = ranges[letter]
        # sizes that differ show which axis a wrong answer sums or divides by; 0 is left for the
        # draw in which every size that may be 0 is 0
        free = [n for n in range(low or 1, high + 1) if n not in drawn.values()]
        size = int(rng.choice(free or [high]))
        if all_equal:
            size = min(max(EQUAL, low), high)
        elif lowest and low <= 0:
            size = 0
        drawn[letter] = size

    sizes = {letter: drawn[letter] for letter in letters}
    source = InputSource(rng, loose=loose, lowest=lowest)
    return Draw(sizes, exercise.inputs(source, **sizes), source.padded)


def make_smallest_draw(exercise: Exercise, seed: int) -> Draw:
    """Return the draw in which every size is 1, whatever the exercise's usual sizes are.

    One sentence, one position, one feature: this is where `squeeze` and forgotten axes show.
    """
    rng = _generator(exercise, seed, PLACE_OF_SMALLEST)
    sizes = dict.fromkeys(_letters(exercise), 1)
    source = InputSource(rng)
    return Draw(sizes, exercise.inputs(source, **sizes), source.padded)


def _letters(exercise: Exercise) -> list[str]:
    """Return the letters of the sizes that an exercise draws."""
    return list(inspect.signature(exercise.inputs).parameters)[1:]


def _generator(exercise: Exercise, seed: int, index: int) -> np.random.Generator:
    # crc32, because hash() of a string is different in every process
    return np.random.default_rng([seed, index, zlib.crc32(exercise.id.encode())])


def letters_in_text(exercise: Exercise, draw: Draw) -> list[str]:
    """Return the letters of sizes that a student knows: those in the text of the exercise."""
    text = "\n".join(cell.text for cell in exercise.cells)
    words = set(re.findall(r"\w+", text))
    return [letter for letter in draw.sizes if letter in words]


def sizes_text(exercise: Exercise, draw: Draw) -> str:
    """Return the sizes that a student knows in words, such as B = 2, T = 3."""
    letters = letters_in_text(exercise, draw)
    return ", ".join(f"{letter} = {draw.sizes[letter]}" for letter in letters)


def _width(between: tuple[int, int]) -> int:
    low, high = between
    return high - low
