"""What an exercise draws its inputs from: gains, masks, ids and the like, each as it is or as simple as can be."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

PAD = 0
PADDING = "padding"  # is noted in `used` where ids have some
N_WORDS = 3  # a sentence with padding inside has more


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

    def eps(self, low: float, high: float) -> float:
        """Draw a number that is usually tiny, so large that it shows; 0 if simple."""
        drawn = float(self.rng.uniform(low, high))
        return 0.0 if self.simple("eps") else drawn

    def betas(self) -> tuple[float, float]:
        """Draw by how much Adam's two means remember; the same for both if simple."""
        first, second = float(self.rng.uniform(0.7, 0.9)), float(self.rng.uniform(0.92, 0.98))
        return first, first if self.simple("betas") else second

    def rate(self) -> float:
        """Draw the probability of dropout."""
        drawn = float(self.rng.uniform(0.2, 0.6))
        return 0.0 if self.simple("dropout") else drawn

    def mask(self, *shape: int, empty: bool = False) -> np.ndarray:
        """Draw a mask (..., T, S), True where attention may go, a third hidden; with `empty` one row is all False.

        Of three rows or more the first has one True alone.
        """
        drawn = self.rng.random(shape) > 1 / 3
        rows = drawn.reshape(-1, shape[-1])
        if self.loose:
            drawn |= np.arange(shape[-1]) == self.rng.integers(shape[-1], size=(*shape[:-1], 1))
        else:
            drawn[..., 0] = True
            drawn[..., 0, -1] = shape[-1] == 1
            if len(rows) > 2:
                rows[0, 1:] = False
        if empty:
            rows[shape[-2] - 1] = False
        return np.ones(shape, bool) if self.simple("mask") else drawn

    def ids(self, *shape: int, vocab_size: int, pad: bool = True, inside: bool = False) -> np.ndarray:
        """Draw ids (..., T) from 1 on, the first repeated; with `pad` the later sentences end in padding, id 0.

        With `inside` the first sentence, where it is long enough, has padding in front of its last word too. Loose
        padding of this kind may lie in any sentence.

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
            if inside and shape[1] > N_WORDS:
                row, place = self.rng.integers((0, 2), (shape[0], shape[1] - 1)) if self.loose else (0, -2)
                drawn[row, place] = PAD
            self.used.add(PADDING)
        if self.simple("ids"):
            order = np.arange(vocab_size - 1)
            if self.loose:
                order = np.random.default_rng(drawn.ravel()).permutation(order)
            return 1 + order[np.arange(drawn.size) % (vocab_size - 1)].reshape(shape)
        return drawn
