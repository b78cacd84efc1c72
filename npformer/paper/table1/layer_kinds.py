"""The layers of paper table 1: what the paper says of each, how it is built, and what it multiplies."""

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
    """What the cost of a layer depends on, in the letters of table 1; `batch` sequences are read at once.

    >>> Size(64, 32, k=4).checked()
    Traceback (most recent call last):
    npformer.utils.errors.InputError: k = 4: expected an odd width of the kernel, 3 or more, to see as far to both sides
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
            raise InputError(
                f"k = {self.k}: expected an odd width of the kernel, 3 or more, to see as far to both sides"
            )
        return self

    def input(self, dtype, *, seed: int = 0):
        """Draw an x (batch, n, d)."""
        return np.random.default_rng(seed).standard_normal((self.batch, self.n, self.d)).astype(dtype)


class Kind(NamedTuple):
    """A row of table 1.

    `operations`, `sequential` and `path` are what the paper says. `build(size, level, rng, dtype)` makes a layer; the
    level counts from 0 how many layers stand below it, and only dilation heeds it. `products(size)` is the number of
    multiply-adds of its products of matrices, forward. `cheaper_below(size)` is the n below which self-attention is
    cheaper, if the formulas of the paper had no constants.
    """

    name: str
    operations: str
    sequential: str
    path: str
    build: Callable[..., Module]
    products: Callable[[Size], int]
    cheaper_below: Callable[[Size], int]


def n_heads(size: Size) -> int:
    """Return how many heads of 64 features d has room for, as in the paper's models; one where 64 does not divide d."""
    return 1 if size.d % HEAD else size.d // HEAD


def attention(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    """Return multi-head self-attention."""
    return SelfAttention(size.d, n_heads(size), rng=rng, dtype=dtype)


def restricted(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    """Return self-attention to r neighbours."""
    return SelfAttention(size.d, n_heads(size), attention=LocalAttention(size.r), rng=rng, dtype=dtype)


def recurrent(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    """Return an LSTM."""
    return LSTM(size.d, size.d, rng=rng, dtype=dtype)


def contiguous(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    """Return a convolution over k neighbouring positions."""
    return Convolution(size.d, size.d, width=size.k, rng=rng, dtype=dtype)


def dilated(size: Size, level: int = 0, rng=0, dtype="float32") -> Module:
    """Return a convolution over k positions that stand 1, k, k^2, ... apart, and 1 again after the largest below n."""
    dilation = size.k ** (level % n_dilations(size))
    return Convolution(size.d, size.d, width=size.k, dilation=dilation, rng=rng, dtype=dtype)


def n_dilations(size: Size) -> int:
    """Return how many of 1, k, k^2, ... are below n, at least one: a position n away is outside."""
    n = 1
    while size.k**n < size.n:
        n += 1
    return n


def attention_products(size: Size) -> int:
    """Four projections, n d^2 each, and equation 1 twice n^2 d: scores and weighted sums."""
    return size.batch * (4 * size.n * size.d**2 + 2 * size.n**2 * size.d)


def restricted_products(size: Size) -> int:
    """Four projections, and each position twice with the whole window of its block, which is more than r."""
    cut = attention_alone(size).blocks(size.n)
    return size.batch * (4 * size.n * size.d**2 + 2 * cut.n * cut.size * cut.width * size.d)


def recurrent_products(size: Size) -> int:
    """Four gates, each with x_t W and h_t-1 U: the paper's O(n d^2) is one such product."""
    return size.batch * 8 * size.n * size.d**2


def convolution_products(size: Size, outside: int) -> int:
    """A product of all rows for each of k places; between two sequences `outside` rows of zeros are multiplied too."""
    return size.k * (size.batch * (size.n + outside) - outside) * size.d**2


def contiguous_products(size: Size) -> int:
    """Those of a convolution that sees its neighbours."""
    return convolution_products(size, size.k - 1)


def dilated_products(size: Size) -> int:
    """Those of the convolution with the largest dilation."""
    return convolution_products(size, (size.k - 1) * size.k ** (n_dilations(size) - 1))


def attention_alone(size: Size):
    """Return the arithmetic of a restricted attention, without its projections."""
    return restricted(Size(1, 1, r=size.r)).attention


KINDS = [
    Kind("self-attention", "O(n^2 d)", "O(1)", "O(1)", attention, attention_products, lambda s: s.n),
    Kind("recurrent (LSTM)", "O(n d^2)", "O(n)", "O(n)", recurrent, recurrent_products, lambda s: s.d),
    Kind("convolution", "O(k n d^2)", "O(1)", "O(n/k)", contiguous, contiguous_products, lambda s: s.k * s.d),
    Kind("dilated", "O(k n d^2)", "O(1)", "O(log_k n)", dilated, dilated_products, lambda s: s.k * s.d),
    Kind("restricted", "O(r n d)", "O(1)", "O(n/r)", restricted, restricted_products, lambda s: s.r),
]
ATTENTION, *OTHERS = KINDS
