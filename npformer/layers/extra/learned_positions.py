"""Learned positions."""

from ...module import Module, Parameter
from ...utils import Rng
from ..hyperparameter_checks import check_sizes
from ..initialization import embedding_normal
from ..validation import check_last_axis, check_length


class LearnedPositionalEncoding(Module):
    """Add a learned vector for each position: y = x + table[start : start + T].

    Paper table 3, row E (Gehring et al. 2017). `table` is (max_len, D). x is (..., T, D), the
    positions from `start` on.

    Arguments:
        d_model: D, the number of features of x.
        max_len: The number of positions that have a vector.
        rng: A generator or a seed for the vectors.
        dtype: "float32" or "float64".

    Raises `InputError` for a size below 1, when start is below 0, when start + T is above max_len,
    or when the last axis of x is not d_model.

    >>> import numpy as np
    >>> positions = LearnedPositionalEncoding(4, max_len=10, rng=np.random.default_rng(0))
    >>> positions.forward(np.zeros((2, 5, 4), "float32")).shape
    (2, 5, 4)
    """

    def __init__(
        self, d_model: int, *, max_len: int = 512, rng: Rng = None, dtype: str = "float32"
    ):
        check_sizes(d_model=d_model, max_len=max_len)
        self.table = Parameter(embedding_normal(max_len, d_model, rng, dtype))  # (max_len, D)

    def forward(self, x, start: int = 0):  # (..., T, D)
        check_last_axis(self, x, self.table.data.shape[1])
        end = check_length(self, x, start, len(self.table.data))
        return self.remember(x + self.table.data[start:end], start, end)

    def backward(self, dy):  # (..., T, D)
        start, end = self.recall(dy)
        # the same vector was added in each sentence of the batch
        sentences = dy.reshape(-1, *dy.shape[-2:])  # (B, T, D)
        self.table.grad[start:end] += sentences.sum(0)  # (T, D)
        return dy
