"""The layers of a language model, built from a config that also has what came after 2017.

They are like those of an encoder (encoder.py), with causal attention, and with rotary positions,
SwiGLU or grouped queries where a `LanguageModelConfig` has them.

Next: language_model.py
"""

from collections.abc import Callable
from functools import partial

from ..layers import (
    Dropout,
    Embedding,
    FeedForward,
    GroupedAttention,
    GroupedQueryAttention,
    RotaryAttention,
    ScaledDotProductAttention,
    SelfAttention,
    SwiGLU,
)
from ..layers.add_norm import AddNorm
from ..module import Module
from ..utils import Rng
from .embeddings import InputEmbedding
from .language_model_config import LanguageModelConfig
from .sublayers import make_add_norm, make_attention, make_multi_head, make_norm


class LanguageModelLayer(Module):
    """One of the N layers: causal self-attention, then the feed-forward network."""

    def __init__(self, config: LanguageModelConfig, *, rng: Rng):
        self.self_attention = make_causal_self_attention(config, rng)
        self.feed_forward = make_feed_forward_or_swiglu(config, rng)

    def forward(self, x, mask=None):  # (B, T, D)
        x = self.self_attention.forward(x, mask)
        return self.feed_forward.forward(x)  # (B, T, D)

    def backward(self, dy):  # (B, T, D)
        dy = self.feed_forward.backward(dy)
        return self.self_attention.backward(dy)  # (B, T, D)


def make_causal_self_attention(config: LanguageModelConfig, rng: Rng) -> AddNorm:
    """Make a causal self-attention, with grouped queries or without, in its Add & Norm."""
    multi_head_class: Callable[..., SelfAttention] = SelfAttention
    if config.n_kv_heads is not None:
        multi_head_class = partial(GroupedQueryAttention, n_groups=config.n_kv_heads)
    return make_multi_head(multi_head_class, make_causal_attention(config, rng), config, rng)


def make_causal_attention(config: LanguageModelConfig, rng: Rng) -> ScaledDotProductAttention:
    """Make what the heads compute: queries and keys are rotated first, and then shared."""
    attention = make_attention(config, rng, causal=True)
    if config.n_kv_heads is not None:
        attention = GroupedAttention(config.n_kv_heads, attention=attention)
    if config.positions == "rotary":
        attention = RotaryAttention(
            config.d_k or config.d_model // config.n_heads,
            attention=attention,
            max_len=config.max_len,
            base=config.rotary_base,
            pairs=config.rotary_pairs,
            dtype=config.dtype,
        )
    return attention


def make_feed_forward_or_swiglu(config: LanguageModelConfig, rng: Rng) -> AddNorm:
    """Make a FeedForward or a SwiGLU in its Add & Norm."""
    network_class: Callable[..., Module] = SwiGLU
    if config.activation != "swiglu":
        network_class = partial(FeedForward, activation=config.activation)
    network = network_class(
        config.d_model,
        config.d_ff,
        bias=config.feed_forward_bias,
        init=config.init,
        rng=rng,
        dtype=config.dtype,
    )
    return make_add_norm(network, config, rng)


def make_input_embedding(
    embedding: Embedding, config: LanguageModelConfig, rng: Rng
) -> "InputEmbedding | RotaryInputEmbedding":
    """Make the input embedding, which adds no positions where attention rotates by them."""
    if config.positions == "rotary":
        return RotaryInputEmbedding(embedding, config, rng=rng)
    return InputEmbedding(embedding, config, rng=rng)


class RotaryInputEmbedding(Module):
    """Embed ids (B, T) and drop out: (B, T, D).

    `start` is ignored: RotaryAttention knows the positions of queries from the number of keys.
    """

    def __init__(self, embedding: Embedding, config: LanguageModelConfig, *, rng: Rng):
        self.embedding = embedding
        self.dropout = Dropout(config.dropout, rng=rng)
        self.norm = make_norm(config) if config.embedding_norm else None

    def forward(self, ids, start: int = 0):  # (B, T)
        x = self.embedding.forward(ids)  # (B, T, D)
        x = self.dropout.forward(x)
        if self.norm is not None:
            x = self.norm.forward(x)
        return x  # (B, T, D)

    def backward(self, dx):  # (B, T, D)
        if self.norm is not None:
            dx = self.norm.backward(dx)
        dx = self.dropout.backward(dx)
        self.embedding.backward(dx)
