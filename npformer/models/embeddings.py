"""The lower end of a model: token embeddings with positions."""

from ..layers import Dropout, Embedding, LearnedPositionalEncoding, SinusoidalPositionalEncoding
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .sublayers import make_layer_norm


class InputEmbedding(Module):
    """Embed ids (B, T), add the positions from `start` on, and drop out the sum (section 5.4): (B, T, D).

    With `config.embedding_norm` a LayerNorm follows.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, *, rng: Rng):
        self.embedding = embedding
        sizes = {"max_len": config.max_len, "dtype": config.dtype}
        if config.positions == "learned":
            self.positions = LearnedPositionalEncoding(config.d_model, rng=rng, **sizes)
        else:
            halves = config.positions == "sinusoidal_halves"
            self.positions = SinusoidalPositionalEncoding(config.d_model, halves=halves, **sizes)
        self.dropout = Dropout(config.dropout, rng=rng)
        self.norm = make_layer_norm(config) if config.embedding_norm else None

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, D)
        x = self.dropout.forward(self.positions.forward(x, start))
        return self.norm.forward(x) if self.norm else x

    def backward(self, dx):  # (B, T, D)
        dx = self.norm.backward(dx) if self.norm else dx
        dx = self.positions.backward(self.dropout.backward(dx))
        self.embedding.backward(dx)
