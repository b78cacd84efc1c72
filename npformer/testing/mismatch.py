"""A wrong array and the expected one, on several draws."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

TOLERANCE = 1e-6


class Fact(NamedTuple):
    """A statement about a wrong array.

    Arguments:
        id: Its kind, such as "factor 2", by which findings are chosen and counted.
        text: To follow the name of the array.
    """

    id: str
    text: str


@dataclass(frozen=True)
class Mismatch:
    """A computed array and the expected one on each draw.

    Arguments:
        got: The computed arrays.
        expected: The expected ones.
        sizes: The sizes by letter.
        inputs: The inputs by name.
        terms: Named arrays whose sum is expected.
        first_axis: Axes before this one are ignored.
        padded: Whether one id is padding.
    """

    got: list[np.ndarray]
    expected: list[np.ndarray]
    sizes: Sequence[Mapping[str, int]]
    inputs: Sequence[Mapping[str, Any]]
    terms: list[Mapping[str, np.ndarray]] | None = None
    first_axis: int = 0
    padded: bool = True

    def fits(self, rebuilt: Iterable[np.ndarray]) -> bool:
        """Return whether these arrays are the computed ones, on every draw."""
        return all(agree(got, guess) for got, guess in zip(self.got, rebuilt, strict=True))

    @property
    def same_shapes(self) -> bool:
        """Whether the shape is right on every draw."""
        draws = zip(self.got, self.expected, strict=True)
        return all(got.shape == expected.shape for got, expected in draws)

    @property
    def ndim(self) -> int:
        """The number of axes of what is expected."""
        return self.expected[0].ndim

    @property
    def padding(self) -> list[int]:
        """The id of padding on each draw, where there is padding."""
        return [int(inputs.get("pad_id", 0)) for inputs in self.inputs]

    def arrays(self, kinds: str = "f") -> dict[str, list[np.ndarray]]:
        """Return the inputs that are arrays of some kinds, by name: one per draw."""
        found = {}
        # all draws have the same inputs, of the same kinds
        for name, x in self.inputs[0].items():
            if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind in kinds:
                found[name] = [inputs[name] for inputs in self.inputs]
        return found

    def letter(self, axis: int) -> str | None:
        """Return the letter of the size that an axis of the expected array has on every draw.

        None where no letter fits, or several.
        """
        fitting = []
        for letter in self.sizes[0]:
            draws = zip(self.sizes, self.expected, strict=True)
            if all(sizes[letter] == expected.shape[axis] for sizes, expected in draws):
                fitting.append(letter)
        # two letters of one size cannot be told apart
        return fitting[0] if len(fitting) == 1 else None


def error(a: np.ndarray, b: np.ndarray) -> float:
    """Return the largest difference as a part of the largest magnitude of b.

    It is infinite for other shapes, NaN and infinity.
    """
    if a.shape != b.shape or not (np.isfinite(a).all() and np.isfinite(b).all()):
        return np.inf
    difference = np.abs(a - b).max(initial=0.0)
    magnitude = np.abs(b).max(initial=0.0)
    return float(difference / (magnitude or 1.0))


def agree(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether two arrays are the same within the tolerance."""
    return error(a, b) <= TOLERANCE


def broadcasts(arrays: list[np.ndarray], like: list[np.ndarray]) -> Iterator[list[np.ndarray]]:
    """Yield the arrays with axes of length 1 inserted so that they broadcast to others.

    There is one result for each way that fits.
    """
    n = like[0].ndim
    for axes in combinations(range(n), arrays[0].ndim):
        new_axes = [axis for axis in range(n) if axis not in axes]
        aligned = [np.expand_dims(array, new_axes) for array in arrays]
        if all(_broadcasts_to(x, y) for x, y in zip(aligned, like, strict=True)):
            yield aligned


def _broadcasts_to(x: np.ndarray, y: np.ndarray) -> bool:
    """Tell whether x, with as many axes as y, broadcasts to its shape."""
    return all(a in (1, b) for a, b in zip(x.shape, y.shape, strict=True))
