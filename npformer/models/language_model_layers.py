"""The layers of a language model, built from a config that also has what came after 2017.

They are those of an encoder (encoder.py), with RMSNorm, rotary positions, SwiGLU or grouped
queries where a `LanguageModelConfig` has them.

Next: language_model.py
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..layers import (
    Dropout,
    Embedding,
    FeedForward,
    GroupedAttention,
    GroupedQueryAttention,
    LayerNorm,
    PostNorm,
    PreNorm,
    RMSNorm,
    RotaryAttention,
    ScaledDotProductAttention,
    SelfAttention,
    SwiGLU,
)
from ..layers.add_norm import AddNorm
from ..module import Module
from ..utils import Rng
from .embeddings import InputEmbedding
from .encoder import EncoderLayer
from .language_model_config import LanguageModelConfig
from .sublayers import make_attention


class LanguageModelLayer(EncoderLayer):
    """One of the N layers: causal self-attention, then the feed-forward network."""

    def __init__(self, config: LanguageModelConfig, *, rng: Rng):
        self.self_attention = make_add_norm(make_self_attention(config, rng), config, rng)
        self.feed_forward = make_add_norm(make_feed_forward(config, rng), config, rng)


def make_self_attention(config: LanguageModelConfig, rng: Rng) -> SelfAttention:
    """Make a causal self-attention."""
    multi_head_class: Callable[..., SelfAttention] = SelfAttention
    if config.n_kv_heads is not None:
        multi_head_class = partial(GroupedQueryAttention, n_groups=config.n_kv_heads)
    return multi_head_class(
        config.d_model,
        config.n_heads,
        d_k=config.d_k,
        d_v=config.d_v,
        attention=make_causal_attention(config, rng),
        bias=config.attention_bias,
        init=config.init,
        rng=rng,
        dtype=config.dtype,
    )


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


def make_feed_forward(config: LanguageModelConfig, rng: Rng) -> Module:
    """Make a FeedForward or a SwiGLU."""
    network: Callable[..., Module] = SwiGLU
    if config.activation != "swiglu":
        network = partial(FeedForward, activation=config.activation)
    return network(
        config.d_model,
        config.d_ff,
        bias=config.feed_forward_bias,
        init=config.init,
        rng=rng,
        dtype=config.dtype,
    )


def make_add_norm(sublayer: Module, config: LanguageModelConfig, rng: Rng) -> AddNorm:
    """Wrap a sub-layer in residual connection, dropout and the config's norm."""
    add_norm_class = PostNorm if config.norm == "post" else PreNorm
    add_norm: Any = add_norm_class(
        sublayer,
        config.d_model,
        dropout=config.dropout,
        eps=config.layer_norm_eps,
        rng=rng,
        dtype=config.dtype,
    )
    add_norm.norm = make_norm(config)
    return add_norm


def make_norm(config: LanguageModelConfig) -> Module:
    """Make an RMSNorm or a LayerNorm."""
    norm = RMSNorm if config.norm == "rms" else LayerNorm
    return norm(config.d_model, eps=config.layer_norm_eps, dtype=config.dtype)


def make_final_norm(config: LanguageModelConfig) -> Any:
    """Make the norm that ends the stack, or None.

    By default there is one unless each layer ends with one.
    """
    has_norm = config.final_norm
    if has_norm is None:
        has_norm = config.norm != "post"
    return make_norm(config) if has_norm else None


def make_input_embedding(embedding: Embedding, config: LanguageModelConfig, rng: Rng) -> Any:
    """Make the input embedding, which adds no positions where attention rotates by them."""
    if config.positions == "rotary":
        return RotaryInputEmbedding(embedding, config, rng=rng)
    input_embedding: Any = InputEmbedding(embedding, config, rng=rng)
    if config.embedding_norm:
        input_embedding.norm = make_norm(config)
    return input_embedding


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
        return self.norm.forward(x) if self.norm else x  # (B, T, D)

    def backward(self, dx):  # (B, T, D)
        dx = self.norm.backward(dx) if self.norm else dx
        dx = self.dropout.backward(dx)
        self.embedding.backward(dx)
