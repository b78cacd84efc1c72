"""Embedding and Generator: from token ids to vectors, and from vectors back to scores over tokens."""

import math

from ..backend import cache_chunks, scatter_add, to_device, xp
from ..module import Module, Parameter
from ..utils import InputError
from .init import table_normal
from .reductions import column_sum, flat
from .validation import check_ids, check_last_axis, check_sizes


def token_table(table: Parameter | None, vocab_size: int, d_model: int, rng, dtype) -> Parameter:
    """Return a new table (V, D), or the one given, which another layer has too.

    Raises `InputError` for a size below 1, or when what is given is no Parameter of that shape.
    """
    check_sizes(vocab_size=vocab_size, d_model=d_model)
    if table is None:
        return Parameter(table_normal(vocab_size, d_model, rng, dtype))
    if not isinstance(table, Parameter):
        raise InputError(f"the table is a {type(table).__name__}: expected the Parameter of another layer")
    if table.data.shape != (vocab_size, d_model):
        raise InputError(f"the table has shape {table.data.shape}: expected {vocab_size, d_model}, as the sizes say")
    return table


class Embedding(Module):
    """Look up a row of the table for each token id, times sqrt(d_model), or times `scale` where that is given.

    Paper section 3.4. `table` is (V, D); pass the Parameter of another Embedding or of a Generator to share it. ids
    are integers of any shape (...); y is (..., D). backward returns None, for ids have no gradient.

    Raises `InputError` for a size below 1, a table of another shape, or an id that is no integer or not in 0 .. V - 1.

    >>> import numpy as np
    >>> embedding = Embedding(10, 4, rng=np.random.default_rng(0))
    >>> embedding.forward(np.array([[1, 2, 2]])).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        table: Parameter | None = None,
        scale: float | None = None,
        rng=None,
        dtype="float32",
    ):
        self.table = token_table(table, vocab_size, d_model, rng, dtype)  # (V, D)
        self.scale = math.sqrt(d_model) if scale is None else scale

    @property
    def label(self) -> str:
        return "Embedding({}, {})".format(*self.table.data.shape)

    def forward(self, ids):  # (...)
        ids = to_device(ids)
        check_ids(self, ids, len(self.table.data))
        y = self.table.data[ids]  # (..., D)
        y *= self.scale
        return self.remember(y, ids)

    def backward(self, dy):  # (..., D)
        (ids,) = self.recall(dy)
        scatter_add(self.table.grad, ids.reshape(-1), flat(dy) * self.scale)  # an id's gradients add up


class Generator(Module):
    """Score every token of the vocabulary: logits = x table^T, with `bias=True` plus a bias.

    The linear transformation before the softmax of paper figure 1; section 3.4 shares its table with the embeddings.
    It has no factor sqrt(d_model). x is (..., D), logits are (..., V), `table` is (V, D), `bias` (V,) starts at zero.

    `forward(x, matrix)` multiplies with what `matrix()` returned, a copy of table^T in which few positions are scored
    faster. It does not follow the table: one that is trained wants a new copy after each update. backward is that of
    the table.

    Raises `InputError` for a size below 1, a table of another shape, or when the last axis of x is not d_model.

    >>> import numpy as np
    >>> embedding = Embedding(10, 4, rng=np.random.default_rng(0))
    >>> generator = Generator(10, 4, table=embedding.table)
    >>> generator.forward(np.ones((2, 3, 4), "float32")).shape
    (2, 3, 10)
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        table: Parameter | None = None,
        bias: bool = False,
        rng=None,
        dtype="float32",
    ):
        self.table = token_table(table, vocab_size, d_model, rng, dtype)  # (V, D)
        self.bias = Parameter(xp.zeros(vocab_size, dtype)) if bias else None  # (V,)

    @property
    def label(self) -> str:
        return "Generator({}, {})".format(*self.table.data.shape)

    def forward(self, x, matrix=None):  # (..., D), (D, V)
        check_last_axis(self, x, self.table.data.shape[1])
        logits = flat(x) @ (self.table.data.T if matrix is None else matrix)  # (N, V)
        if self.bias is not None:
            logits += self.bias.data
        return self.remember(logits.reshape(*x.shape[:-1], logits.shape[-1]), x)  # (..., V)

    def backward(self, dlogits):  # (..., V)
        (x,) = self.recall(dlogits)
        if self.bias is not None:
            self.bias.grad += column_sum(dlogits)  # (V,)
        self.table.grad += flat(dlogits).T @ flat(x)  # (V, D)
        return (flat(dlogits) @ self.table.data).reshape(x.shape)  # (..., D)

    def matrix(self):
        """Return a copy of table^T laid out row by row, (D, V), for `forward`."""
        table = self.table.data
        matrix = xp.empty(table.shape[::-1], table.dtype)
        for tokens in cache_chunks(
            *table.shape
        ):  # a large table that is turned as a whole is out of the cache throughout
            matrix[:, tokens] = table[tokens].T
        return matrix
