"""The input embedding: what enters the first layer of encoder and decoder."""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, Linear, SinusoidalPositionalEncoding
from ..module import Module
from .build import make_layer_norm
from .config import StackConfig


class InputEmbedding(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D).

    Embeddings of another width than d_model are first mapped to it, without a bias. With `config.embedding_norm` a
    LayerNorm follows.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, *, rng):
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
