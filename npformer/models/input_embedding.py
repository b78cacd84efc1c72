"""The foot of each column of figure 1: token embeddings plus positional encodings."""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, Linear, SinusoidalPositionalEncoding
from ..module import Module
from .build import layer_norm
from .config import StackConfig


class InputEmbedding(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D).

    With a `packing` of the ids' padding the result is packed: (N, D). But for the sum with the positions, for which the
    texts have to lie one under the other, nothing is computed for padding.

    Embeddings that are narrower or wider than d_model are first mapped into it, without a bias. With
    `config.embedding_norm` a LayerNorm comes after the dropout.
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
        self.norm = layer_norm(config) if config.embedding_norm else None

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, d_word_vec)
        if self.into_d_model:
            x = self.into_d_model.forward(x)
        x = self.dropout.forward(self.positions.forward(x, start))  # (B, T, D)
        return self.norm.forward(x) if self.norm else x

    def backward(self, dx):  # (B, T, D)
        dx = self.norm.backward(dx) if self.norm else dx
        dx = self.positions.backward(self.dropout.backward(dx))
        if self.into_d_model:
            dx = self.into_d_model.backward(dx)
        self.embedding.backward(dx)
