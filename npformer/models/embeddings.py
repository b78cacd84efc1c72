"""The two ends of a model: token embeddings with positions, and the generator."""

import math

from ..layers import Dropout, Embedding, Generator, LearnedPositionalEncoding, Linear, SinusoidalPositionalEncoding
from ..module import Module, Parameter
from ..utils import Rng
from .build import make_layer_norm
from .config import StackConfig


def make_embedding(vocab_size: int, config: StackConfig, *, table: Parameter | None = None, rng: Rng) -> Embedding:
    """Make an Embedding of width d_word_vec, times sqrt(d_model) as in the paper; `InputEmbedding` maps it to d_model.

    The factor is not sqrt(d_word_vec): a narrow embedding would then be small next to the positions.
    """
    settings = {"scale": math.sqrt(config.d_model), "rng": rng, "dtype": config.dtype}
    return Embedding(vocab_size, config.table_width, table=table, **settings)


class InputEmbedding(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D).

    Embeddings of another width than d_model are first mapped to it, without a bias. With `config.embedding_norm` a
    LayerNorm follows.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, *, rng: Rng):
        self.embedding = embedding
        self.into_d_model = None
        if config.table_width != config.d_model:
            settings = {"bias": False, "init": config.init, "rng": rng, "dtype": config.dtype}
            self.into_d_model = Linear(config.table_width, config.d_model, **settings)
        sizes = {"max_len": config.max_len, "dtype": config.dtype}
        if config.positions == "learned":
            self.positions = LearnedPositionalEncoding(config.d_model, rng=rng, **sizes)
        else:
            halves = config.positions == "sinusoidal_halves"
            self.positions = SinusoidalPositionalEncoding(config.d_model, halves=halves, **sizes)
        self.dropout = Dropout(config.dropout, rng=rng)
        self.norm = make_layer_norm(config) if config.embedding_norm else None

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, d_word_vec)
        x = self.into_d_model.forward(x) if self.into_d_model else x  # (B, T, D)
        x = self.dropout.forward(self.positions.forward(x, start))
        return self.norm.forward(x) if self.norm else x

    def backward(self, dx):  # (B, T, D)
        dx = self.norm.backward(dx) if self.norm else dx
        dx = self.positions.backward(self.dropout.backward(dx))
        dx = self.into_d_model.backward(dx) if self.into_d_model else dx  # (B, T, d_word_vec)
        self.embedding.backward(dx)


def make_generator(vocab_size: int, config: StackConfig, *, table: Parameter | None, rng: Rng) -> Generator:
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

    def __init__(self, vocab_size: int, config: StackConfig, *, table: Parameter, rng: Rng):
        super().__init__(vocab_size, config.table_width, table=table, bias=config.generator_bias, dtype=config.dtype)
        settings = {"bias": False, "init": config.init, "rng": rng, "dtype": config.dtype}
        self.out_of_d_model = Linear(config.d_model, config.table_width, **settings)

    def forward(self, x):  # (..., D)
        return super().forward(self.out_of_d_model.forward(x))  # (..., V)

    def backward(self, dlogits):  # (..., V)
        return self.out_of_d_model.backward(super().backward(dlogits))  # (..., D)
