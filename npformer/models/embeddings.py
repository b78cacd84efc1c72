"""The tables of tokens at both ends of a column, as wide as the config asks."""

import math

from ..layers import Embedding, Generator, Linear
from ..module import Parameter
from .config import StackConfig


def make_embedding(vocab_size: int, config: StackConfig, *, table: Parameter | None = None, rng) -> Embedding:
    """Build an Embedding of width d_word_vec, times sqrt(d_model); `InputEmbedding` maps it into d_model.

    A row times sqrt(d_word_vec) has variance 1, and after a Glorot map into d_model 2 d_word_vec / (d_word_vec +
    d_model): little for a narrow table, which the positions would drown. With the paper's sqrt(d_model) it is
    2 d_model / (d_word_vec + d_model), from 1 to 2 for a narrow table. fairseq's decoder has the same factor.
    """
    sizes = {"scale": math.sqrt(config.d_model), "rng": rng, "dtype": config.dtype}
    return Embedding(vocab_size, config.table_width, table=table, **sizes)


def make_generator(vocab_size: int, config: StackConfig, *, table: Parameter | None, rng) -> Generator:
    """Build a Generator with a table of its own, (V, d_model), or on that of an Embedding, (V, d_word_vec)."""
    if table is None or config.table_width == config.d_model:
        settings = {"bias": config.generator_bias, "rng": rng, "dtype": config.dtype}
        return Generator(vocab_size, config.d_model, table=table, **settings)
    return ProjectedGenerator(vocab_size, config, table=table, rng=rng)


class ProjectedGenerator(Generator):
    """Score every token by a shared table that is narrower or wider than d_model: logits = (x W) table^T.

    x is (..., D), W (D, d_word_vec), the table (V, d_word_vec), logits are (..., V). With `config.generator_bias` a
    bias (V,) is added to them.

    Raises `InputError` when the last axis of x is not d_model.
    """

    def __init__(self, vocab_size: int, config: StackConfig, *, table: Parameter, rng):
        super().__init__(vocab_size, config.table_width, table=table, bias=config.generator_bias, dtype=config.dtype)
        settings = {"bias": False, "init": config.init, "rng": rng, "dtype": config.dtype}
        self.out_of_d_model = Linear(config.d_model, config.table_width, **settings)

    def forward(self, x, matrix=None):  # (..., D), (d_word_vec, V)
        return super().forward(self.out_of_d_model.forward(x), matrix)  # (..., V)

    def backward(self, dlogits):  # (..., V)
        return self.out_of_d_model.backward(super().backward(dlogits))  # (..., D)
