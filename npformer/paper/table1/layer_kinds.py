"""The layers of table 1: what the paper says of each, how to build it, and its matrix products."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...layers import LSTM, Convolution, LocalAttention, SelfAttention
from ...layers.hyperparameter_checks import check_sizes
from ...module import Module
from ...utils import InputError

D_K = 64  # of the paper's models


@dataclass(frozen=True)
class Size:
    """The sizes that a layer's cost depends on, in the letters of table 1, and the number of sequences in a batch.

    Raises `InputError` for one below 1, and for a k that is even or 1.
    """

    n: int
    d: int
    k: int = 3
    r: int = 32
    batch: int = 1

    def __post_init__(self):
        check_sizes(**vars(self))
        if self.k < 3 or self.k % 2 == 0:
            raise InputError(f"k = {self.k}: expected an odd kernel width, 3 or more")

    @property
    def n_heads(self) -> int:
        """The number of heads of 64 features; 1 where 64 does not divide d."""
        return 1 if self.d % D_K else self.d // D_K

    @property
    def n_dilations(self) -> int:
        """How many of 1, k, k^2, ... are below n, at least one: a position n away is outside."""
        return max(sum(self.k**i < self.n for i in range(self.n)), 1)

    def input(self, dtype: str) -> np.ndarray:
        """Draw an x (batch, n, d)."""
        return np.random.default_rng(0).standard_normal((self.batch, self.n, self.d)).astype(dtype)


class Kind(NamedTuple):
    """A row of table 1.

    `operations`, `sequential` and `path` are the paper's. `build(size, level, rng=, dtype=)` makes a layer; its number
    in a stack, `level`, sets the dilation. `multiply_adds(size)` are those of forward for one sequence, `steps(size)`
    is how many of its matrix products must be computed one after another.
    """

    name: str
    operations: str
    sequential: str
    path: str
    build: Callable[..., Module]
    multiply_adds: Callable[[Size], int]
    steps: Callable[[Size], int]


def _build_dilated(size: Size, level: int, **settings) -> Module:
    dilation = size.k ** (level % size.n_dilations)  # 1, k, k^2, ... below n, then 1 again
    return Convolution(size.d, size.d, width=size.k, dilation=dilation, **settings)


def _restricted_multiply_adds(size: Size) -> int:
    """Four projections, and each block of positions twice with its window, which is wider than r."""
    attention = LocalAttention(size.r)
    n = -(-size.n // attention.size) * attention.size
    return 4 * size.n * size.d**2 + 2 * n * attention.width * size.d


KINDS = [
    Kind(
        *("self-attention", "O(n^2 d)", "O(1)", "O(1)"),
        build=lambda s, level, **settings: SelfAttention(s.d, s.n_heads, **settings),
        multiply_adds=lambda s: (
            4 * s.n * s.d**2 + 2 * s.n**2 * s.d
        ),  # four projections; scores and weighted sums
        steps=lambda s: 4,
    ),
    Kind(
        *("recurrent (LSTM)", "O(n d^2)", "O(n)", "O(n)"),
        build=lambda s, level, **settings: LSTM(s.d, s.d, **settings),
        multiply_adds=lambda s: 8 * s.n * s.d**2,  # four gates, each with x_t W and h_t-1 U
        steps=lambda s: s.n,
    ),
    Kind(
        *("convolution", "O(k n d^2)", "O(1)", "O(n/k)"),
        build=lambda s, level, **settings: Convolution(s.d, s.d, width=s.k, **settings),
        multiply_adds=lambda s: (
            s.k * s.n * s.d**2
        ),  # one product of all rows for each of k positions
        steps=lambda s: 1,
    ),
    Kind(
        *("dilated", "O(k n d^2)", "O(1)", "O(log_k n)"),
        build=_build_dilated,
        multiply_adds=lambda s: s.k * s.n * s.d**2,
        steps=lambda s: 1,
    ),
    Kind(
        *("restricted", "O(r n d)", "O(1)", "O(n/r)"),
        build=lambda s, level, **settings: SelfAttention(
            s.d, s.n_heads, attention=LocalAttention(s.r), **settings
        ),
        multiply_adds=_restricted_multiply_adds,
        steps=lambda s: 4,
    ),
]
