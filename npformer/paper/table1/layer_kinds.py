"""The layers of paper table 1: what the paper says of each, how to build it, and its multiply-adds."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...layers import LocalAttention, SelfAttention
from ...layers.extra import LSTM, Convolution
from ...layers.sizes import check_sizes
from ...module import Module
from ...utils import InputError

HEAD = 64  # d_k of the paper's models


class Size(NamedTuple):
    """The sizes that a layer's cost depends on, in the letters of table 1, and the number of sequences in a batch.

    >>> Size(64, 32, k=4).checked()
    Traceback (most recent call last):
    npformer.utils.errors.InputError: k = 4: expected an odd kernel width, 3 or more
    """

    n: int
    d: int
    k: int = 3
    r: int = 32
    batch: int = 1

    def checked(self) -> "Size":
        """Return the size. Raises `InputError` for one below 1, and for a k that is even or 1."""
        check_sizes(**self._asdict())
        if self.k < 3 or self.k % 2 == 0:
            raise InputError(f"k = {self.k}: expected an odd kernel width, 3 or more")
        return self

    def input(self, dtype, *, seed: int = 0):
        """Draw an x (batch, n, d)."""
        return np.random.default_rng(seed).standard_normal((self.batch, self.n, self.d)).astype(dtype)


class Kind(NamedTuple):
    """A row of table 1.

    `operations`, `sequential` and `path` are the paper's. `build(size, level, rng, dtype)` makes a layer; `level` is
    its number in a stack, from 0, and sets the dilation. `products(size)` counts the multiply-adds of forward.
    `cheaper_below(size)` is the n below which self-attention is cheaper by the paper's formulas.
    """

    name: str
    operations: str
    sequential: str
    path: str
    build: Callable[..., Module]
    products: Callable[[Size], int]
    cheaper_below: Callable[[Size], int]


def n_heads(size: Size) -> int:
    """Return the number of heads of 64 features; 1 where 64 does not divide d."""
    return 1 if size.d % HEAD else size.d // HEAD


def n_dilations(size: Size) -> int:
    """Return how many of 1, k, k^2, ... are below n, at least one: a position n away is outside."""
    n = 1
    while size.k**n < size.n:
        n += 1
    return n


def _attention(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    return SelfAttention(size.d, n_heads(size), rng=rng, dtype=dtype)


def _restricted(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    return SelfAttention(size.d, n_heads(size), attention=LocalAttention(size.r), rng=rng, dtype=dtype)


def _recurrent(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    return LSTM(size.d, size.d, rng=rng, dtype=dtype)


def _contiguous(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    return Convolution(size.d, size.d, width=size.k, rng=rng, dtype=dtype)


def _dilated(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    dilation = size.k ** (level % n_dilations(size))  # 1, k, k^2, ... below n, then 1 again
    return Convolution(size.d, size.d, width=size.k, dilation=dilation, rng=rng, dtype=dtype)


def _attention_products(size: Size) -> int:
    """Four projections, n d^2 each, and equation 1 twice n^2 d: scores and weighted sums."""
    return size.batch * (4 * size.n * size.d**2 + 2 * size.n**2 * size.d)


def _restricted_products(size: Size) -> int:
    """Four projections, and each block of positions twice with its window, which is wider than r."""
    cut = LocalAttention(size.r)
    n = -(-size.n // cut.size) * cut.size
    return size.batch * (4 * size.n * size.d**2 + 2 * n * cut.width * size.d)


def _recurrent_products(size: Size) -> int:
    """Four gates, each with x_t W and h_t-1 U."""
    return size.batch * 8 * size.n * size.d**2


def _convolution_products(size: Size) -> int:
    """One product of all rows for each of k positions."""
    return size.batch * size.k * size.n * size.d**2


KINDS = [
    Kind("self-attention", "O(n^2 d)", "O(1)", "O(1)", _attention, _attention_products, lambda s: s.n),
    Kind("recurrent (LSTM)", "O(n d^2)", "O(n)", "O(n)", _recurrent, _recurrent_products, lambda s: s.d),
    Kind("convolution", "O(k n d^2)", "O(1)", "O(n/k)", _contiguous, _convolution_products, lambda s: s.k * s.d),
    Kind("dilated", "O(k n d^2)", "O(1)", "O(log_k n)", _dilated, _convolution_products, lambda s: s.k * s.d),
    Kind("restricted", "O(r n d)", "O(1)", "O(n/r)", _restricted, _restricted_products, lambda s: s.r),
]
ATTENTION, *OTHERS = KINDS
