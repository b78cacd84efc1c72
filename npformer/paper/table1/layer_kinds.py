"""The layers of table 1: what the paper says of each, how to build it, and its matrix products."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...layers import LSTM, Convolution, LocalAttention, SelfAttention
from ...layers.hyperparameter_checks import check_sizes
from ...module import Module
from ...utils import InputError

D_K = 64  # of the paper's models


@dataclass(frozen=True)
class Size:
    """The sizes that a layer's cost depends on, in the letters of table 1.

    Raises `InputError` for one below 1, and for a k that is even or 1.

    Arguments:
        n: The length of a sequence.
        d: The number of features.
        k: The width of a convolution's kernel.
        r: The neighbors that restricted self-attention sees.
        batch: The number of sequences in a batch.
    """

    n: int
    d: int
    k: int = 3
    r: int = 32
    batch: int = 1

    def __post_init__(self):
        check_sizes(n=self.n, d=self.d, k=self.k, r=self.r, batch=self.batch)
        if self.k < 3 or self.k % 2 == 0:
            raise InputError(f"k = {self.k}: expected an odd kernel width, 3 or more")

    @property
    def n_heads(self) -> int:
        """The number of heads of 64 features; 1 where 64 does not divide d."""
        return 1 if self.d % D_K else self.d // D_K

    @property
    def n_dilations(self) -> int:
        """How many of 1, k, k^2, ... are below n, at least one: a position n away is outside."""
        count = 1
        while self.k**count < self.n:
            count += 1
        return count

    def input(self, dtype: str) -> np.ndarray:
        """Draw an x (batch, n, d)."""
        return np.random.default_rng(0).standard_normal((self.batch, self.n, self.d)).astype(dtype)


class Kind(NamedTuple):
    """A row of table 1.

    Arguments:
        name: The name of the layer.
        operations: The paper's operations per layer.
        sequential: The paper's sequential operations.
        path: The paper's maximum path length.
        build: `build(size, level, rng=, dtype=)` makes a layer; its number in a stack, `level`,
            sets the dilation.
        multiply_adds: `multiply_adds(size)` are those of forward for one sequence.
        steps: `steps(size)` is how many of its matrix products must be computed one after another.
    """

    name: str
    operations: str
    sequential: str
    path: str
    build: Callable[..., Module]
    multiply_adds: Callable[[Size], int]
    steps: Callable[[Size], int]


def _build_attention(size: Size, level: int, **settings: Any) -> Module:
    return SelfAttention(size.d, size.n_heads, **settings)


def _attention_multiply_adds(size: Size) -> int:
    """Four projections; scores and weighted sums."""
    return 4 * size.n * size.d**2 + 2 * size.n**2 * size.d


def _build_lstm(size: Size, level: int, **settings: Any) -> Module:
    return LSTM(size.d, size.d, **settings)


def _lstm_multiply_adds(size: Size) -> int:
    """Four gates, each with x_t W and h_t-1 U."""
    return 8 * size.n * size.d**2


def _build_convolution(size: Size, level: int, **settings: Any) -> Module:
    return Convolution(size.d, size.d, width=size.k, **settings)


def _convolution_multiply_adds(size: Size) -> int:
    """One product of all rows for each of k positions."""
    return size.k * size.n * size.d**2


def _build_dilated(size: Size, level: int, **settings: Any) -> Module:
    dilation = size.k ** (level % size.n_dilations)  # 1, k, k^2, ... below n, then 1 again
    return Convolution(size.d, size.d, width=size.k, dilation=dilation, **settings)


def _build_restricted(size: Size, level: int, **settings: Any) -> Module:
    attention = LocalAttention(size.r)
    return SelfAttention(size.d, size.n_heads, attention=attention, **settings)


def _restricted_multiply_adds(size: Size) -> int:
    """Four projections, and each block of positions twice with its window, wider than r."""
    attention = LocalAttention(size.r)
    n = -(-size.n // attention.block_size) * attention.block_size
    return 4 * size.n * size.d**2 + 2 * n * attention.width * size.d


KINDS = [
    Kind(
        "self-attention",
        "O(n^2 d)",
        "O(1)",
        "O(1)",
        build=_build_attention,
        multiply_adds=_attention_multiply_adds,
        steps=lambda size: 4,
    ),
    Kind(
        "recurrent (LSTM)",
        "O(n d^2)",
        "O(n)",
        "O(n)",
        build=_build_lstm,
        multiply_adds=_lstm_multiply_adds,
        steps=lambda size: size.n,
    ),
    Kind(
        "convolution",
        "O(k n d^2)",
        "O(1)",
        "O(n/k)",
        build=_build_convolution,
        multiply_adds=_convolution_multiply_adds,
        steps=lambda size: 1,
    ),
    Kind(
        "dilated",
        "O(k n d^2)",
        "O(1)",
        "O(log_k n)",
        build=_build_dilated,
        multiply_adds=_convolution_multiply_adds,
        steps=lambda size: 1,
    ),
    Kind(
        "restricted",
        "O(r n d)",
        "O(1)",
        "O(n/r)",
        build=_build_restricted,
        multiply_adds=_restricted_multiply_adds,
        steps=lambda size: 4,
    ),
]
