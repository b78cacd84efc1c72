"""The foot of each column of figure 1: token embeddings plus positional encodings."""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, SinusoidalPositionalEncoding
from ..module import Module
from .config import ColumnConfig


class EmbeddedTokens(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D)."""

    def __init__(self, embedding: Embedding, config: ColumnConfig, *, rng):
        self.embedding = embedding
        sizes = {"max_len": config.max_len, "dtype": config.dtype}
        if config.positions == "sinusoidal":
            self.positions = SinusoidalPositionalEncoding(config.d_model, **sizes)
        else:
            self.positions = LearnedPositionalEncoding(config.d_model, rng=rng, **sizes)
        self.dropout = Dropout(config.dropout, rng=rng)

    def forward(self, ids, start: int = 0):  # (B, T)
        return self.dropout.forward(self.positions.forward(self.embedding.forward(ids), start))  # (B, T, D)

    def backward(self, dx):  # (B, T, D)
        self.embedding.backward(self.positions.backward(self.dropout.backward(dx)))
