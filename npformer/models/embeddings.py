"""Embedding and generator of a model, as wide as its config says."""

import math

from ..layers import Embedding, Generator, Linear
from ..module import Parameter
from .config import StackConfig


def make_embedding(vocab_size: int, config: StackConfig, *, table: Parameter | None = None, rng) -> Embedding:
    """Make an Embedding of width d_word_vec, times sqrt(d_model) as in the paper; `InputEmbedding` maps it to d_model.

    The factor is not sqrt(d_word_vec): a narrow embedding would then be small beside the positions.
    """
    settings = {"scale": math.sqrt(config.d_model), "rng": rng, "dtype": config.dtype}
    return Embedding(vocab_size, config.table_width, table=table, **settings)


def make_generator(vocab_size: int, config: StackConfig, *, table: Parameter | None, rng) -> Generator:
    """Make a Generator with a table of its own, (V, d_model), or with that of an Embedding, (V, d_word_vec)."""
    if table is None or config.table_width == config.d_model:
        settings = {"bias": config.generator_bias, "rng": rng, "dtype": config.dtype}
        return Generator(vocab_size, config.d_model, table=table, **settings)
    return ProjectedGenerator(vocab_size, config, table=table, rng=rng)


class ProjectedGenerator(Generator):
    """Score every token by a shared table whose width is not d_model: logits = (x W) table^T.

    x is (..., D), W (D, d_word_vec), the table (V, d_word_vec), logits are (..., V). With `config.generator_bias` a
    bias (V,) is added to them. Raises `InputError` when the last axis of x is not d_model.
    """

    def __init__(self, vocab_size: int, config: StackConfig, *, table: Parameter, rng):
        super().__init__(vocab_size, config.table_width, table=table, bias=config.generator_bias, dtype=config.dtype)
        settings = {"bias": False, "init": config.init, "rng": rng, "dtype": config.dtype}
        self.out_of_d_model = Linear(config.d_model, config.table_width, **settings)

    def forward(self, x):  # (..., D)
        return super().forward(self.out_of_d_model.forward(x))  # (..., V)

    def backward(self, dlogits):  # (..., V)
        return self.out_of_d_model.backward(super().backward(dlogits))  # (..., D)
