"""The encoder: the left half of figure 1.

Next: decoder.py
"""

from collections.abc import Callable

from ..layers import Embedding
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .embeddings import InputEmbedding
from .sublayers import make_feed_forward, make_final_norm, make_layers, make_self_attention


class EncoderLayer(Module):
    """One of the N layers of the encoder: self-attention, then the feed-forward network."""

    def __init__(self, config: StackConfig, *, rng: Rng):
        # SelfAttention and FeedForward, each in its Add & Norm
        self.self_attention = make_self_attention(config, rng, causal=False)
        self.feed_forward = make_feed_forward(config, rng)

    def forward(self, x, mask=None):  # (B, S, D)
        x = self.self_attention.forward(x, mask)
        return self.feed_forward.forward(x)  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        dy = self.feed_forward.backward(dy)
        return self.self_attention.backward(dy)  # (B, S, D)


class Encoder(Module):
    """Embed the source and pass it through N layers: the result is called memory.

    ids are (B, S), memory is (B, S, D). See the first `stack` of `transformer` in
    npformer/slow_formulas.py for the same formula with scalar loops.

    Arguments:
        embedding: The table of token embeddings, which a model may share.
        config: The settings of every layer.
        n_layers: N.
        rng: A generator for weights and dropout.
        layer: The class of the N layers.
    """

    def __init__(
        self,
        embedding: Embedding,
        config: StackConfig,
        n_layers: int,
        *,
        rng: Rng,
        layer: Callable[..., Module] = EncoderLayer,
    ):
        self.input_embedding = InputEmbedding(embedding, config, rng=rng)
        self.layers = make_layers(layer, n_layers, config, rng)
        self.norm = make_final_norm(config)

    def forward(self, ids, mask=None):  # (B, S)
        x = self.input_embedding.forward(ids)  # (B, S, D)
        for layer in self.layers:
            x = layer.forward(x, mask)
        if self.norm is not None:
            x = self.norm.forward(x)
        return x  # (B, S, D)

    def backward(self, dy):  # (B, S, D)
        if self.norm is not None:
            dy = self.norm.backward(dy)
        for layer in reversed(self.layers):
            dy = layer.backward(dy)
        self.input_embedding.backward(dy)
