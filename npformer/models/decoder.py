"""The decoder: the right half of figure 1.

Next: layers/generator.py
"""

from ..layers import Embedding
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .embeddings import InputEmbedding
from .sublayers import (
    make_cross_attention,
    make_feed_forward,
    make_final_norm,
    make_layers,
    make_self_attention,
)


class DecoderLayer(Module):
    """One of the N layers of the decoder.

    Masked self-attention, then cross-attention, then the feed-forward network.
    """

    def __init__(self, config: StackConfig, *, rng: Rng):
        self.self_attention = make_self_attention(config, rng, causal=True)
        self.cross_attention = make_cross_attention(config, rng)
        self.feed_forward = make_feed_forward(config, rng)

    def forward(self, x, memory, mask=None, memory_mask=None):  # (B, T, D), (B, S, D)
        x = self.self_attention.forward(x, mask)
        x = self.cross_attention.forward(x, memory, memory_mask)
        return self.feed_forward.forward(x)  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dy = self.feed_forward.backward(dy)
        dy, dmemory = self.cross_attention.backward(dy)  # (B, T, D), (B, S, D)
        dx = self.self_attention.backward(dy)  # (B, T, D)
        return dx, dmemory


class Decoder(Module):
    """Embed the target and pass it through N layers.

    Each position sees the memory, itself and earlier positions. ids are (B, T), memory is
    (B, S, D), the result is (B, T, D). backward returns (None, dmemory), because ids have no
    gradient. See the second `stack` of `transformer` in npformer/slow_formulas.py for the same
    formula with scalar loops. The arguments are those of `Encoder`.
    """

    def __init__(self, embedding: Embedding, config: StackConfig, n_layers: int, *, rng: Rng):
        self.input_embedding = InputEmbedding(embedding, config, rng=rng)
        self.layers = make_layers(DecoderLayer, n_layers, config, rng)
        self.norm = make_final_norm(config)

    def forward(self, ids, memory, mask=None, memory_mask=None):  # (B, T), (B, S, D)
        x = self.input_embedding.forward(ids)  # (B, T, D)
        for layer in self.layers:
            x = layer.forward(x, memory, mask, memory_mask)
        if self.norm is not None:
            x = self.norm.forward(x)
        return x  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        if self.norm is not None:
            dy = self.norm.backward(dy)
        dmemory = 0  # memory enters every layer, so its gradient is a sum
        for layer in reversed(self.layers):
            dy, dmemory_of_layer = layer.backward(dy)  # (B, T, D), (B, S, D)
            dmemory = dmemory + dmemory_of_layer
        self.input_embedding.backward(dy)
        return None, dmemory  # (B, S, D)
