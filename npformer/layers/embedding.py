"""Token embeddings: paper section 3.4.

Next: positional_encoding.py
"""

import math

from ..backend import scatter_add, to_device
from ..module import Module, Parameter
from ..utils import Rng
from .hyperparameter_checks import check_sizes
from .initialization import embedding_normal
from .row_and_column_sums import flatten_positions
from .validation import check_ids, check_table


class Embedding(Module):
    """Look up the row of each token id in the embedding matrix, and multiply it by sqrt(d_model).

        y = table[ids] * sqrt(d_model)

    Paper section 3.4. See `embed` in npformer/slow_formulas.py for the same formula, and positions,
    with scalar loops. ids are integers (...), y is (..., D). backward returns None, because ids
    have no gradient.

    Arguments:
        vocab_size: V, the number of tokens.
        d_model: D, the number of features of a token.
        table: The Parameter (V, D) of another Embedding or of a Generator, to share it.
        scale: What rows are multiplied by in place of sqrt(d_model).
        rng: A generator or a seed.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, a table of another shape, or an id that is not an
    integer in 0 .. V - 1.

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
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_sizes(vocab_size=vocab_size, d_model=d_model)
        if table is None:
            table = Parameter(embedding_normal(vocab_size, d_model, rng, dtype))
        check_table(table, (vocab_size, d_model))
        self.table = table  # (V, D)
        # a float, because a float64 of NumPy would make all float64
        self.scale = math.sqrt(d_model) if scale is None else float(scale)

    def forward(self, ids):  # (...)
        ids = to_device(ids)
        check_ids(self, ids, len(self.table.data))
        return self.remember(self.table.data[ids] * self.scale, ids)  # (..., D)

    def backward(self, dy):  # (..., D)
        (ids,) = self.recall(dy)
        drows = flatten_positions(dy) * self.scale  # (N, D)
        scatter_add(self.table.grad, ids.reshape(-1), drows)  # an id that occurs twice gets the sum
