"""Random inputs on which a wrong answer shows: sizes that differ, gradients that are not ones, ids that repeat."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from .exercise import Exercise
from .input_sampler import Draw

SMALLEST, LARGEST, EQUAL = 2, 8, 4
USUAL = {"H": (2, 4), "V": (6, 12), "N": (2, 4)}  # heads, vocabulary, layers
N_DRAWS = 3


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
    fixed: Mapping[str, int | str] | None = None,
    loose: bool = False,
) -> Drawn:
    """Return the draw of this index: all sizes differ in every draw but each third, in which all are equal.

    In the draw before that, sizes that may be 0 are.

    `plain` names kinds to keep simple, `fixed` sizes to set, to a number or to what another size is; everything else
    is as without them. `loose` masks and ids fall as they may: see `Draw`.
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
    fixed = fixed or {}
    sizes |= {letter: size for letter, size in fixed.items() if size not in ranges}
    sizes |= {letter: sizes[other] for letter, other in fixed.items() if other in ranges}
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
