"""The generator: from the decoder's output to a score for every token.

Next: models/transformer.py
"""

from ..backend import xp
from ..module import Module, Parameter
from ..utils import Rng
from .hyperparameter_checks import check_sizes
from .initialization import embedding_normal
from .row_and_column_sums import column_sum, flatten_positions
from .validation import check_last_axis, check_table


class Generator(Module):
    """Score every token of the vocabulary.

        logits = x table^T + b

    The linear transformation before the softmax of paper figure 1. Section 3.4 shares its table
    with the embeddings, which multiply it by sqrt(d_model). See the last product of `transformer`
    in npformer/slow_formulas.py for the same formula with scalar loops. x is (..., D), logits are
    (..., V).

    Arguments:
        vocab_size: V, the number of tokens.
        d_model: D, the number of features of x.
        table: The Parameter (V, D) of an Embedding, to share it.
        bias: Whether b (V,) is added, which starts at zero.
        rng: A generator or a seed.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, a table of another shape, or when the last axis of x is
    not d_model.

    >>> import numpy as np
    >>> from npformer.layers import Embedding
    >>> generator = Generator(10, 4, table=Embedding(10, 4, rng=0).table)
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
        rng: Rng = None,
        dtype: str = "float32",
    ):
        check_sizes(vocab_size=vocab_size, d_model=d_model)
        if table is None:
            table = Parameter(embedding_normal(vocab_size, d_model, rng, dtype))
        check_table(table, (vocab_size, d_model))
        self.table = table  # (V, D)
        self.bias = Parameter(xp.zeros(vocab_size, dtype)) if bias else None  # (V,)

    def forward(self, x):  # (..., D)
        check_last_axis(self, x, self.table.data.shape[1])
        logits = flatten_positions(x) @ self.table.data.T  # (N, V)
        if self.bias is not None:
            logits += self.bias.data
        return self.remember(logits.reshape(*x.shape[:-1], logits.shape[-1]), x)  # (..., V)

    def backward(self, dlogits):  # (..., V)
        (x,) = self.recall(dlogits)
        if self.bias is not None:
            self.bias.grad += column_sum(dlogits)  # (V,)
        self.table.grad += flatten_positions(dlogits).T @ flatten_positions(x)  # (V, D)
        return (flatten_positions(dlogits) @ self.table.data).reshape(x.shape)  # (..., D)
