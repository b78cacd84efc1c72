"""Attention weights as text: a byte a weight, in base64."""

from __future__ import annotations

import base64

import numpy as np

from ...base.errors import InputError

STEPS = 255
PRECISION = 0.5 / STEPS  # a weight of 0 or 1 is exact; any other is off by 0.002 at most, unseen in whole percent


def pack(name: str, weights, n_queries: int, n_keys: int) -> dict:
    """Return the shape and the bytes of weights (layers, H, queries, keys), in steps of 1/255.

    Raises `InputError` when the weights are no such array, or are not numbers from 0 to 1.

    >>> pack("cross", [[[[0, 1, 0.5]]]], 1, 3)
    {'shape': [1, 1, 1, 3], 'bytes': 'AP+A'}
    """
    try:
        weights = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is no array of numbers: give the weights that sentence_attention returned") from None
    if weights.ndim != 4 or 0 in weights.shape or weights.shape[2:] != (n_queries, n_keys):
        raise InputError(
            f"{name} has shape {weights.shape}: expected (layers, heads, {n_queries}, {n_keys}), "
            f"for there are {n_queries} tokens that look and {n_keys} that are looked at"
        )
    if not (weights >= -1e-6).all() or not (weights <= 1 + 1e-6).all():  # NaN fails both
        raise InputError(f"{name} holds numbers outside 0 to 1: give weights after the softmax, not scores")
    steps = np.rint(weights.clip(0, 1) * STEPS).astype(np.uint8)
    return {"shape": list(weights.shape), "bytes": base64.b64encode(steps.tobytes()).decode("ascii")}


def unpack(packed: dict) -> np.ndarray:
    """Return the weights that `pack` wrote, each within `PRECISION`; the viewer's weights.js does the same.

    >>> unpack(pack("cross", [[[[0, 1, 0.5]]]], 1, 3)).round(2).tolist()
    [[[[0.0, 1.0, 0.5]]]]
    """
    steps = np.frombuffer(base64.b64decode(packed["bytes"]), np.uint8)
    return steps.reshape(packed["shape"]) / STEPS
