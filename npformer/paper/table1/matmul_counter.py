"""An instrument: every product of matrices that some work asks NumPy for, and which of them waits for which."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...backend import check_numpy, xp


class Product(NamedTuple):
    """A product of matrices: its multiply-adds, and copies of its two factors."""

    multiply_adds: int
    factors: tuple[np.ndarray, np.ndarray]


class Watch:
    """What is being watched: the products so far, and the number of the one whose result is to be disturbed."""

    now = None

    def __init__(self, disturbed: int | None = None):
        self.products, self.disturbed = [], disturbed

    def saw(self, factors, result) -> None:
        """Note a product, and disturb its result, in place, where this is the one."""
        self.products.append(Product(math.prod(result.shape) * factors[0].shape[-1], factors))
        if len(self.products) - 1 == self.disturbed:
            result += np.random.default_rng(0).standard_normal(result.shape)


class Watched(np.ndarray):
    """An array that tells of the products of matrices it takes part in, as does whatever comes of it.

    A product with a vector is a sum written as a product, and not told.
    """

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, Watched) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(None if x is None else np.asarray(x) for x in out)
        is_product = ufunc is np.matmul and min(x.ndim for x in plain) > 1
        factors = tuple(x.copy() for x in plain) if is_product else ()  # before, for `out` may be one of them
        result = getattr(ufunc, method)(*plain, **kwargs)
        if is_product:
            Watch.now.saw(factors, result)
        return watched(result) if out is None or out[0] is None else out[0]


class WatchedLibrary:
    """NumPy, but every array that it makes is watched."""

    def __getattr__(self, name):
        found = getattr(np, name)
        if isinstance(found, (type, np.ufunc)) or not callable(found):
            return found
        return lambda *inputs, **settings: watched(found(*inputs, **settings))


def watched(x):
    """Return an array as a watched one, and anything else as it is."""
    return x.view(Watched) if isinstance(x, np.ndarray) else x


def watch(work: Callable, x, disturbed: int | None = None) -> tuple[list[Product], np.ndarray]:
    """Run `work(x)` and return its products of matrices in their order, and what it returns.

    The result of the product number `disturbed`, counted from 0, is changed at random. `work` must build the layers
    that it uses, so that their weights are watched too. Raises `InputError` where arrays live on a GPU.

    >>> products, y = watch(lambda x: x @ x @ x, np.eye(3))
    >>> [product.multiply_adds for product in products]
    [27, 27]
    """
    check_numpy("what waits for what")
    before, Watch.now = Watch.now, Watch(disturbed)
    try:
        with xp.replaced(WatchedLibrary()):
            y = work(watched(x))
        return Watch.now.products, np.asarray(y)
    finally:
        Watch.now = before


def longest_chain(work: Callable, x, *, between=None) -> int:
    """Return how many products stand in the longest chain in which each waits for the result of the one before.

    Found by experiment: disturb the result of one product, and see which later products are given other factors. With
    `between` = (i, j) only those count that lie on a way from position i of x (B, T, D) to position j of the result:
    their factors change with x_i, and y_j changes with them.

    >>> longest_chain(lambda x: x @ x @ x + x @ x, np.ones((2, 2)))
    2
    """
    plain, y = watch(work, x)
    on_the_way = range(len(plain))
    if between is not None:
        first, last = between
        moved = x.copy()
        moved[:, first] += np.random.default_rng(1).standard_normal(moved[:, first].shape)
        on_the_way = changed(plain, watch(work, moved)[0])
    waits = {b: [] for b in on_the_way}
    for a in list(on_the_way):
        products, disturbed_y = watch(work, x, a)
        if between is not None and np.array_equal(disturbed_y[:, last], y[:, last]):
            del waits[a]
            continue
        for b in changed(plain, products):
            waits.get(b, []).append(a)
    length = {}
    for b, earlier in waits.items():
        length[b] = 1 + max((length[a] for a in earlier if a in length), default=0)
    return max(length.values(), default=0)


def changed(plain: list[Product], other: list[Product]) -> list[int]:
    """Return the numbers of the products whose factors differ."""
    pairs = enumerate(zip(plain, other, strict=True))
    return [i for i, (one, two) in pairs if not all(map(np.array_equal, one.factors, two.factors))]
