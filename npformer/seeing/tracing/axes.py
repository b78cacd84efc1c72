"""What the rows and columns of a recorded array stand for."""

import numpy as np

from ...layers import Embedding, Generator, LearnedPositionalEncoding, Linear, ScaledDotProductAttention, Softmax
from ...models import Transformer
from ...module import Module, Parameter

TABLE_ROWS = {Embedding: "token id", Generator: "token id", LearnedPositionalEncoding: "position"}


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
