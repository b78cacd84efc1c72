"""Choosing the part of an array that fits on a flat picture."""

from __future__ import annotations

import numpy as np

from ...base.errors import InputError


def two_axes(what: str, values: np.ndarray, sentence: int | None, head: int | None) -> tuple[np.ndarray, list[str]]:
    """Return a matrix out of values (D,), (T, D), (B, T, D) or (B, H, T, S), and words for where it was.

    A sentence and a head that are None are the first. Raises `InputError` when there are more axes, no such sentence
    or head, or no numbers at all. `what` names the array in errors.

    >>> matrix, place = two_axes("weights", np.zeros((2, 4, 5, 3)), 1, None)
    >>> matrix.shape, place
    ((5, 3), ['sentence 1', 'head 0'])
    """
    if not 1 <= values.ndim <= 4 or values.size == 0:
        raise InputError(f"{what} has shape {values.shape}: expected one to four axes that are not empty")
    place = []
    for kind, wanted, axes in (("sentence", sentence, 3), ("head", head, 4)):
        if values.ndim + len(place) < axes:
            if wanted is not None:
                raise InputError(f"{what} has shape {values.shape}, no axis of {kind}s: leave {kind} = {wanted} out")
            continue
        index = 0 if wanted is None else wanted
        if not 0 <= index < len(values):
            raise InputError(f"{kind} = {index}: {what} has {len(values)} of them, expected 0 .. {len(values) - 1}")
        values = values[index]
        place.append(f"{kind} {index}")
    return np.atleast_2d(values), place
