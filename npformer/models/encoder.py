"""The encoder: the left column of figure 1."""

from ..layers import Embedding
from ..module import Module
from .build import feed_forward, final_norm, self_attention
from .config import StackConfig
from .input_embedding import InputEmbedding


class EncoderLayer(Module):
    """One of the N boxes of the left column: self-attention, then the feed-forward network."""

    def __init__(self, config: StackConfig, *, rng):
        self.self_attention = self_attention(config, rng, causal=False)
        self.feed_forward = feed_forward(config, rng)

    def forward(self, x, mask=None):  # (B, S, D)
        x = self.self_attention.forward(x, mask)
        return self.feed_forward.forward(x)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        dy = self.feed_forward.backward(dy)
        return self.self_attention.backward(dy)  # (B, S, D)


class Encoder(Module):
    """Read the source once and return the memory: what every position means in its sentence.

    ids are (B, S), memory is (B, S, D), or with a `PackedMask` (M, D). `layer` is the kind of its boxes.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, *, rng, layer: type[Module] = EncoderLayer):
        self.tokens = InputEmbedding(embedding, config, rng=rng)
        self.layers = [layer(config, rng=rng) for _ in range(config.n_encoder_layers)]
        self.norm = final_norm(config)

    def forward(self, ids, mask=None):  # (B, S)
        x = self.tokens.forward(ids)  # (B, S, D)
        for layer in self.layers:
            x = layer.forward(x, mask)
        return self.norm.forward(x) if self.norm else x  # (B, S, D)

    def backward(self, dmemory):  # (B, S, D)
        dx = self.norm.backward(dmemory) if self.norm else dmemory
        for layer in reversed(self.layers):
            dx = layer.backward(dx)
        self.tokens.backward(dx)
