"""The input embedding: token embeddings with positions, at the lower end of figure 1.

Next: encoder.py
"""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, SinusoidalPositionalEncoding
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .sublayers import make_norm


class InputEmbedding(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum: (B, T, D).

    Paper sections 3.4, 3.5 and 5.4. With `config.embedding_norm` the config's norm follows.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, *, rng: Rng):
        self.embedding = embedding
        self.positions: Module
        if config.positions == "learned":
            self.positions = LearnedPositionalEncoding(
                config.d_model, max_len=config.max_len, rng=rng, dtype=config.dtype
            )
        else:
            self.positions = SinusoidalPositionalEncoding(
                config.d_model,
                max_len=config.max_len,
                interleaved=config.positions == "sinusoidal",
                dtype=config.dtype,
            )
        self.dropout = Dropout(config.dropout, rng=rng)
        self.norm = make_norm(config) if config.embedding_norm else None

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, D)
        x = self.positions.forward(x, start)
        x = self.dropout.forward(x)
        if self.norm is not None:
            x = self.norm.forward(x)
        return x  # (B, T, D)

    def backward(self, dx):  # (B, T, D)
        if self.norm is not None:
            dx = self.norm.backward(dx)
        dx = self.dropout.backward(dx)
        dx = self.positions.backward(dx)
        self.embedding.backward(dx)
