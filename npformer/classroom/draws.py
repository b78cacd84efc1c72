"""Random inputs on which a wrong answer shows: sizes that differ, gradients that are not ones, ids that repeat."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from .exercise import Exercise

SMALLEST, LARGEST, EQUAL = 2, 8, 4
USUAL = {"H": (2, 4), "V": (6, 12), "N": (2, 4)}  # heads, vocabulary, layers
N_DRAWS = 3
PAD = 0
PADDING = "padding"  # is noted in `used` where ids have some


class Draw:
    """What an exercise's `inputs` draws from. What is named in `plain` comes as simple as it can be: see `ablation`.

    Usually masks and ids hold what a mistake shows at, at the same places each time. `loose` ones fall as they may, so
    that nothing is true of them by the way in which they are drawn. In every third draw, the `lowest`, what may be 0 is
    0, or as low as it may be: what is said of all numbers must be true of that one too.
    """

    def __init__(
        self, rng: np.random.Generator, plain: Collection[str] = (), loose: bool = False, lowest: bool = False
    ):
        self.rng = rng
        self.plain = frozenset(plain)
        self.loose = loose
        self.lowest = lowest
        self.used: set[str] = set()

    def simple(self, kind: str) -> bool:
        """Note that this kind was asked for, and tell whether it is to be simple."""
        self.used.add(kind)
        return kind in self.plain

    def normal(self, *shape: int) -> np.ndarray:
        """Draw floats of order 1."""
        return self.rng.normal(size=shape)

    def dy(self, *shape: int) -> np.ndarray:
        """Draw the gradient that comes from above: never ones, unless simple."""
        drawn = self.rng.normal(size=shape)
        return np.ones(shape) if self.simple("dy") else drawn

    def gain(self, *shape: int) -> np.ndarray:
        """Draw gains around 1, moved off it."""
        drawn = 1 + self.rng.uniform(0.3, 0.9, shape) * self.rng.choice([-1, 1], shape)
        return np.ones(shape) if self.simple("gain") else drawn

    def bias(self, *shape: int) -> np.ndarray:
        """Draw biases, moved off 0."""
        drawn = self.rng.normal(size=shape)
        return np.zeros(shape) if self.simple("bias") else drawn

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number above `low`, up to `high`; `low` itself in every third draw."""
        drawn = int(self.rng.integers(low + 1, high + 1))
        return low if self.lowest else drawn

    def rate(self) -> float:
        """Draw the probability of dropout."""
        drawn = float(self.rng.uniform(0.2, 0.6))
        return 0.0 if self.simple("dropout") else drawn

    def mask(self, *shape: int, empty: bool = False) -> np.ndarray:
        """Draw a mask (..., T, S), True where attention may go, a third hidden; with `empty` one row is all False."""
        drawn = self.rng.random(shape) > 1 / 3
        if self.loose:
            drawn |= np.arange(shape[-1]) == self.rng.integers(shape[-1], size=(*shape[:-1], 1))
        else:
            drawn[..., 0] = True
            drawn[..., 0, -1] = shape[-1] == 1
        if empty:
            drawn.reshape(-1, shape[-1])[shape[-2] - 1] = False
        return np.ones(shape, bool) if self.simple("mask") else drawn

    def ids(self, *shape: int, vocab_size: int, pad: bool = True) -> np.ndarray:
        """Draw ids (..., T) from 1 on, the first repeated; with `pad` the later sentences end in padding, id 0.

        Simple ids do not repeat as long as the vocabulary has enough, and none is padding. Loose ones repeat by chance
        alone, and any sentence may end in padding after its first two.
        """
        drawn = self.rng.integers(1, vocab_size, shape)
        if shape[-1] > 1 and not self.loose:
            drawn[..., 1] = drawn[..., 0]
        if pad and len(shape) == 2:
            for row in range(0 if self.loose else 1, shape[0]):
                length = self.rng.integers(2, shape[1] + 1) if self.loose and shape[1] > 1 else shape[1] - row
                drawn[row, max(1, length) :] = PAD
            self.used.add(PADDING)
        if self.simple("ids"):
            order = np.arange(vocab_size - 1)
            if self.loose:
                order = np.random.default_rng(drawn.ravel()).permutation(order)
            return 1 + order[np.arange(drawn.size) % (vocab_size - 1)].reshape(shape)
        return drawn


@dataclass(frozen=True)
class Drawn:
    """One draw: the sizes by letter, the inputs by name, and which kinds could be simplified."""

    sizes: Mapping[str, int]
    inputs: Mapping[str, object]
    used: frozenset[str]


def letters(exercise: Exercise) -> list[str]:
    """Return the letters of the sizes that the exercise's inputs take."""
    return list(inspect.signature(exercise.inputs).parameters)[1:]


def draw(
    exercise: Exercise,
    seed: int,
    index: int,
    *,
    plain: Collection[str] = (),
    fixed: Mapping[str, int] | None = None,
    loose: bool = False,
) -> Drawn:
    """Return the draw of this index: all sizes differ in every draw but each third, in which all are equal.

    In the draw before that, sizes that may be 0 are.

    `plain` names kinds to keep simple, `fixed` sizes to set; everything else is as without them. `loose` masks and ids
    fall as they may: see `Draw`.
    """
    rng = np.random.default_rng([seed, index, zlib.crc32(exercise.id.encode())])
    ranges = {
        letter: exercise.sizes.get(letter, USUAL.get(letter, (SMALLEST, LARGEST))) for letter in letters(exercise)
    }
    sizes: dict[str, int] = {}
    lowest = index % N_DRAWS == N_DRAWS - 2
    for letter, (low, high) in sorted(ranges.items(), key=lambda entry: entry[1][1] - entry[1][0]):
        free = [size for size in range(low or 1, high + 1) if size not in sizes.values()]
        sizes[letter] = int(rng.choice(free or [high])) * (low > 0 or not lowest)
        if index % N_DRAWS == N_DRAWS - 1:
            sizes[letter] = min(max(EQUAL, low), high)
    sizes |= fixed or {}
    source = Draw(rng, plain, loose, lowest)
    inputs = exercise.inputs(source, **{letter: sizes[letter] for letter in ranges})
    return Drawn({letter: sizes[letter] for letter in ranges}, inputs, frozenset(source.used))


def draws(exercise: Exercise, seed: int, **simpler) -> list[Drawn]:
    """Return the draws of a check."""
    return [draw(exercise, seed, index, **simpler) for index in range(N_DRAWS)]


def single(inputs: Mapping[str, object]) -> dict[str, object]:
    """Return the inputs with their floats in float32."""
    return {
        name: x.astype(np.float32) if isinstance(x, np.ndarray) and x.dtype == np.float64 else x
        for name, x in inputs.items()
    }
