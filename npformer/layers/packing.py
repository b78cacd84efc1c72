"""Texts of different lengths laid one after the other, so that layers compute nothing for padding."""

from typing import NamedTuple

from ..base import InputError, kind_of, xp


class Packing:
    """Which places of padded texts hold tokens: `real` is boolean (B, T), and N of its entries are True.

    `pack` lays what belongs to the tokens of all texts one after the other, (B, T, ...) to (N, ...); `unpack` puts it
    back, with zeros in the places of padding. Each is the other's backward.

    Raises `InputError` when `real` is not boolean (B, T), and when what comes is not of B texts and T places, or not of
    N tokens.

    >>> import numpy as np
    >>> packing = Packing(np.array([[True, True], [True, False]]))
    >>> packing.pack(np.array([[1, 2], [3, 0]])).tolist()
    [1, 2, 3]
    >>> packing.unpack(np.array([[5.0], [6.0], [7.0]])).tolist()
    [[[5.0], [6.0]], [[7.0], [0.0]]]
    """

    def __init__(self, real):  # (B, T)
        if kind_of(real) != "b" or real.ndim != 2:
            came = f"shape {real.shape} and type {real.dtype}" if hasattr(real, "dtype") else type(real).__name__
            raise InputError(f"what is real came as {came}: expected booleans (B, T), True = a token, no padding")
        self.real = real
        self.places = None if real.all() else xp.flatnonzero(real)  # (N,), None where all are
        self.n = real.size if self.places is None else self.places.size

    def pack(self, x):  # (B, T, ...)
        """Lay the tokens of all texts one after the other: (N, ...)."""
        if x.shape[:2] != self.real.shape:
            raise InputError(
                f"pack got x of shape {x.shape}: expected {self.real.shape} first, the places of all texts"
            )
        x = x.reshape(-1, *x.shape[2:])
        return x if self.places is None else x.take(self.places, 0)

    def unpack(self, x):  # (N, ...)
        """Lay the texts one under the other again, filled up with zeros: (B, T, ...)."""
        if len(x) != self.n:
            raise InputError(f"unpack got x of shape {x.shape}: expected {self.n} first, the tokens of all texts")
        padded = x
        if self.places is not None:
            padded = xp.zeros((self.real.size, *x.shape[1:]), x.dtype)
            padded[self.places] = x
        return padded.reshape(*self.real.shape, *x.shape[1:])


class PackedMask(NamedTuple):
    """Handed down in the place of a padding mask: queries and keys are packed, (N, D) and (M, D), as these two say.

    A query sees all tokens of the text in its own place of the batch, and causal attention hides the future from it as
    always.
    """

    queries: Packing
    keys: Packing

    @property
    def padding(self):
        """The padding mask (B, 1, S) of the keys."""
        return self.keys.real[:, None]


def queries_of(mask) -> Packing | None:
    """Return how the queries are packed that meet this mask; None where they are not."""
    return mask.queries if isinstance(mask, PackedMask) else None


def keys_of(mask) -> Packing | None:
    """Return how the keys are packed that this mask shows; None where they are not."""
    return mask.keys if isinstance(mask, PackedMask) else None
