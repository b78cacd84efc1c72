"""A counter of matrix products: how large each is, and which of them depends on which."""

import math
from collections.abc import Callable
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from ...backend import check_numpy, xp


class Product(NamedTuple):
    """A matrix product: its multiply-adds, and copies of its two factors."""

    multiply_adds: int
    factors: tuple[np.ndarray, np.ndarray]


class _Watched(np.ndarray):
    """An array that records the matrix products it takes part in, as do all arrays computed from it.

    A product with a vector computes a sum and is not recorded.
    """

    products: list[Product]
    perturbed: int | None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(x) if isinstance(x, _Watched) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(None if x is None else np.asarray(x) for x in out)
        is_product = ufunc is np.matmul and min(x.ndim for x in plain) > 1
        factors = tuple(x.copy() for x in plain) if is_product else ()  # before, because `out` may be one of them
        result = getattr(ufunc, method)(*plain, **kwargs)
        if is_product:
            if len(_Watched.products) == _Watched.perturbed:
                result += np.random.default_rng(0).standard_normal(result.shape)
            _Watched.products.append(Product(math.prod(result.shape) * factors[0].shape[-1], factors))
        return _watched(result) if out is None or out[0] is None else out[0]


class _WatchedLibrary:
    """NumPy, except that every array it makes is watched."""

    def __getattr__(self, name):
        found = getattr(np, name)
        if isinstance(found, (type, np.ufunc)) or not callable(found):
            return found
        return lambda *inputs, **settings: _watched(found(*inputs, **settings))


def _watched(x):
    return x.view(_Watched) if isinstance(x, np.ndarray) else x


def watch(work: Callable, x, perturbed: int | None = None) -> tuple[list[Product], np.ndarray]:
    """Run `work(x)` and return its matrix products in order, and its result.

    A random array is added to the result of product number `perturbed`, counted from 0. `work` must build the layers
    that it uses, so that their weights are watched too. Raises `InputError` where arrays live on a GPU.

    >>> products, y = watch(lambda x: x @ x @ x, np.eye(3))
    >>> [product.multiply_adds for product in products]
    [27, 27]
    """
    check_numpy("the dependence of matrix products")
    _Watched.products, _Watched.perturbed = [], perturbed
    with patch.dict(vars(xp), {"library_name": "numpy", "library": _WatchedLibrary()}, clear=True):
        y = work(_watched(x))
    return _Watched.products, np.asarray(y)


def longest_chain(work: Callable, x, *, between: tuple[int, int] | None = None) -> int:
    """Return the length of the longest chain of products in which each depends on the one before.

    Found by experiment: perturb the result of one product, and compare the factors of the later ones. With `between` =
    (i, j) only products on a path from position i of x (B, T, D) to position j of the result count: their factors
    change with x_i, and y_j changes with them.

    >>> longest_chain(lambda x: x @ x @ x + x @ x, np.ones((2, 2)))
    2
    """
    plain, y = watch(work, x)
    candidates = list(range(len(plain)))
    if between is not None:
        first, last = between
        moved = x.copy()
        moved[:, first] += np.random.default_rng(1).standard_normal(moved[:, first].shape)
        candidates = _changed(plain, watch(work, moved)[0])
    length = dict.fromkeys(candidates, 1)
    for a in candidates:
        products, perturbed_y = watch(work, x, a)
        if between is not None and np.array_equal(perturbed_y[:, last], y[:, last]):
            del length[a]
            continue
        for b in _changed(plain, products):
            if b in length:
                length[b] = max(length[b], length[a] + 1)
    return max(length.values(), default=0)


def _changed(plain: list[Product], other: list[Product]) -> list[int]:
    """Return the numbers of the products whose factors differ."""
    pairs = enumerate(zip(plain, other, strict=True))
    return [i for i, (one, two) in pairs if not all(map(np.array_equal, one.factors, two.factors))]
