"""The keys and values that one attention keeps from step to step."""

from ..backend import xp

STEPS_AT_FIRST = 32


class KeyValueCache:
    """Keys (B, H, L, d_k) and values (B, H, L, d_v) of one attention; each step may append to them.

    When the arrays are full they move to ones with twice the room, so that a step rarely copies what is there.

    >>> import numpy as np
    >>> cache = KeyValueCache()
    >>> cache.append(np.zeros((2, 4, 3, 8)), np.zeros((2, 4, 3, 5)))
    >>> cache.append(np.ones((2, 4, 1, 8)), np.ones((2, 4, 1, 5)))
    >>> cache.keys.shape, cache.values.shape, cache.keys[0, 0, :, 0].tolist()
    ((2, 4, 4, 8), (2, 4, 4, 5), [0.0, 0.0, 0.0, 1.0])
    """

    def __init__(self):
        self.length = 0
        self.roomy_keys = self.roomy_values = None  # (B, H, room, d_k), (B, H, room, d_v)

    @property
    def keys(self):  # (B, H, L, d_k)
        """The keys of all positions so far."""
        return self.roomy_keys[:, :, : self.length]

    @property
    def values(self):  # (B, H, L, d_v)
        """The values of all positions so far."""
        return self.roomy_values[:, :, : self.length]

    def append(self, keys, values) -> None:  # (B, H, new, d_k), (B, H, new, d_v)
        """Add the keys and values of some more positions."""
        if self.length == 0:
            self.roomy_keys, self.roomy_values = xp.ascontiguousarray(keys), xp.ascontiguousarray(values)
            self.length = keys.shape[2]
            return
        start, end = self.length, self.length + keys.shape[2]
        if end > self.roomy_keys.shape[2]:
            room = max(2 * end, STEPS_AT_FIRST * keys.shape[2])
            self.roomy_keys, self.roomy_values = with_room(self.keys, room), with_room(self.values, room)
        self.roomy_keys[:, :, start:end] = keys
        self.roomy_values[:, :, start:end] = values
        self.length = end

    def keep(self, rows) -> None:
        """Go on with these sentences alone, in this order: their numbers, on the device."""
        if self.length:
            self.roomy_keys, self.roomy_values = self.roomy_keys[rows], self.roomy_values[rows]


def with_room(array, room: int):
    """Copy array (B, H, L, d) to the front of one of shape (B, H, room, d)."""
    batch, n_heads, length, width = array.shape
    roomy = xp.empty((batch, n_heads, room, width), array.dtype)
    roomy[:, :, :length] = array
    return roomy
