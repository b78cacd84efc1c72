"""A recorded array on a flat picture: the part of it that fits, and what its rows and columns stand for."""

import numpy as np

from ...base import InputError
from ...layers import Embedding, Generator, LearnedPositionalEncoding, Linear, ScaledDotProductAttention, Softmax
from ...models import Transformer
from ...module import Module, Parameter

TABLE_ROWS = {Embedding: "token id", Generator: "token id", LearnedPositionalEncoding: "position"}


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


def axis_names(layer: Module, parent: Module, what: str, values: np.ndarray) -> tuple[str, str]:
    """Return labels for the rows and columns of `values`, the last two axes of the array `what` of a layer's record.

    `parent` is the module that the layer lies in.
    """
    if isinstance(vars(layer).get(what[1:]), Parameter):
        if isinstance(layer, Linear) and what == "dweight":
            return "feature in", "feature out"
        return TABLE_ROWS.get(type(layer), ""), "feature"
    on_weights = isinstance(layer, Softmax) or (layer is not parent and isinstance(parent, ScaledDotProductAttention))
    if values.dtype == bool or on_weights:
        return "query position", "key position"
    if values.dtype.kind in "iu":
        return "sentence", "position"
    if what in ("logits", "dlogits") or (what in ("output", "dy") and isinstance(layer, (Generator, Transformer))):
        return "position", "token id"
    return ("position" if len(values) > 1 else ""), "feature"
