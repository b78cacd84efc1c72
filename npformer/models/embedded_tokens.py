"""The foot of each column of figure 1: token embeddings plus positional encodings."""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, Linear, SinusoidalPositionalEncoding
from ..module import Module
from .config import ColumnConfig


class EmbeddedTokens(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D).

    Embeddings that are narrower or wider than d_model are first mapped into it, without a bias.
    """

    def __init__(self, embedding: Embedding, config: ColumnConfig, *, rng):
        self.embedding = embedding
        self.into_d_model = None
        if config.table_width != config.d_model:
            settings = {"bias": False, "init": config.init, "rng": rng, "dtype": config.dtype}
            self.into_d_model = Linear(config.table_width, config.d_model, **settings)
        sizes = {"max_len": config.max_len, "dtype": config.dtype}
        if config.positions == "sinusoidal":
            self.positions = SinusoidalPositionalEncoding(config.d_model, **sizes)
        else:
            self.positions = LearnedPositionalEncoding(config.d_model, rng=rng, **sizes)
        self.dropout = Dropout(config.dropout, rng=rng)

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, d_word_vec)
        if self.into_d_model:
            x = self.into_d_model.forward(x)
        return self.dropout.forward(self.positions.forward(x, start))  # (B, T, D)

    def backward(self, dx):  # (B, T, D)
        dx = self.positions.backward(self.dropout.backward(dx))
        if self.into_d_model:
            dx = self.into_d_model.backward(dx)
        self.embedding.backward(dx)
