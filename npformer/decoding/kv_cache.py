"""KV cache: the keys and values that one attention keeps from step to step.

Next: cached_decoder.py
"""

from typing import Any

import numpy as np

from ..backend import Array, to_device, xp

__all__ = ["KeyValueCache"]


class KeyValueCache:
    """Keys (B, H, L, d_k) and values (B, H, L, d_v) of one attention; each step appends to them.

    The keys and values of earlier positions depend on those positions alone, because each sees
    only itself and earlier ones. So they are computed once.

    >>> import numpy as np
    >>> cache = KeyValueCache()
    >>> cache.append(np.zeros((2, 4, 3, 8)), np.zeros((2, 4, 3, 5)))
    >>> cache.append(np.ones((2, 4, 1, 8)), np.ones((2, 4, 1, 5)))
    >>> cache.keys.shape, cache.values.shape, cache.keys[0, 0, :, 0].tolist()
    ((2, 4, 4, 8), (2, 4, 4, 5), [0.0, 0.0, 0.0, 1.0])
    """

    def __init__(self) -> None:
        self.keys: Any = None  # until something is appended
        self.values: Any = None

    def append(self, keys: Array, values: Array) -> None:  # (B, H, new, d_k), (B, H, new, d_v)
        """Add the keys and values of some more positions."""
        if self.keys is not None:
            keys = xp.concatenate([self.keys, keys], 2)
            values = xp.concatenate([self.values, values], 2)
        self.keys = keys
        self.values = values

    def select(self, rows: Array) -> None:
        """Continue with these rows of B, in this order; a row can be taken more than once.

        The numbers are on the host.
        """
        if self.keys is None:
            return
        if np.array_equal(rows, np.arange(len(self.keys))):
            return  # all as they are: a copy would take time

        rows = to_device(rows)
        self.keys = self.keys[rows]
        self.values = self.values[rows]
