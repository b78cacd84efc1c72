"""The second and third column of table 1: sequential operations and maximum path length, measured."""

from typing import NamedTuple

import numpy as np

from ...utils import InputError
from .layer_kinds import Kind, Size
from .matmul_counter import longest_chain

NARROW = 4  # d: neither column depends on it


class Path(NamedTuple):
    """The measures of a layer kind at a length n.

    `sequential` is the longest chain of dependent products in one layer's forward. `layers` is the depth of the stack
    in which the gradient of the last position reaches the first. `products` is the longest chain between these two
    positions through that stack: an LSTM needs one layer, but n products.
    """

    kind: str
    n: int
    sequential: int
    layers: int
    products: int


def find_path(kind: Kind, n: int, *, k: int = 3, r: int = 32) -> Path:
    """Measure the sequential operations and the path length of a layer kind, in float64.

    Raises `InputError` for a size below 1, or a k that is even or below 3.

    >>> from .layer_kinds import KINDS
    >>> for kind in KINDS:
    ...     print(*find_path(kind, 9, k=3, r=4))
    self-attention 9 4 1 4
    recurrent (LSTM) 9 9 1 9
    convolution 9 1 8 8
    dilated 9 1 4 4
    restricted 9 4 4 16
    """
    size = Size(n, NARROW, k, r).checked()
    x = size.input("float64")
    layers = layers_between_ends(kind, size)
    sequential = longest_chain(lambda x: _forward(_stack(kind, size, 1), x), x)
    products = longest_chain(lambda x: _forward(_stack(kind, size, layers), x), x, between=(0, n - 1))
    return Path(kind.name, n, sequential, layers, products)


def layers_between_ends(kind: Kind, size: Size) -> int:
    """Return the number of layers after which the last position's gradient reaches the first position."""
    for n_layers in range(1, size.n + 1):
        if gradient_by_position(kind, size, n_layers)[0] > 0:
            return n_layers
    raise InputError(f"{kind.name}: no gradient reaches the first of {size.n} positions from the last")


def gradient_by_position(kind: Kind, size: Size, n_layers: int) -> np.ndarray:
    """Return the norms (n,) of the gradients that each position receives from the last one through a stack of layers.

    >>> from .layer_kinds import KINDS
    >>> gradient_by_position(KINDS[2], Size(6, 4), n_layers=2).round(2).tolist()[:3]
    [0.0, 0.0, 0.0]
    """
    layers = _stack(kind, size, n_layers)
    y = _forward(layers, size.input("float64"))
    dx = np.zeros_like(y)
    dx[:, -1] = np.random.default_rng(1).standard_normal(dx[:, -1].shape)
    for layer in reversed(layers):
        dx = layer.backward(dx)
    return np.sqrt((dx * dx).sum((0, 2)))


def _stack(kind: Kind, size: Size, n_layers: int) -> list:
    rng = np.random.default_rng(2)
    return [kind.build(size, level, rng, "float64") for level in range(n_layers)]


def _forward(layers: list, x):
    for layer in layers:
        x = layer.forward(x)
    return x
