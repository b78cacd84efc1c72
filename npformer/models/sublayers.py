"""The sub-layers of encoder and decoder, each in its Add & Norm, built from a config.

A config (config.py) holds the sizes and choices of a model; by default they are the paper's.

Next: embeddings.py
"""

from collections.abc import Callable

from ..layers import (
    CrossAttention,
    FeedForward,
    FlashAttention,
    LayerNorm,
    LocalAttention,
    MultiHeadAttention,
    PostNorm,
    PreNorm,
    RMSNorm,
    ScaledDotProductAttention,
    SelfAttention,
)
from ..layers.add_norm import AddNorm
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .gradient_checkpointing import Checkpointed


def make_self_attention(config: StackConfig, rng: Rng, *, causal: bool) -> AddNorm:
    """Make a SelfAttention in its Add & Norm; in a `causal` one no position sees later ones."""
    attention = make_attention(config, rng, causal=causal)
    return make_multi_head(SelfAttention, attention, config, rng)


def make_attention(config: StackConfig, rng: Rng, *, causal: bool) -> ScaledDotProductAttention:
    """Make what each head of a self-attention computes: full, tiled or local attention."""
    dropout = config.attention_dropout
    if config.neighbors is not None:
        return LocalAttention(config.neighbors, causal=causal, dropout=dropout, rng=rng)
    if config.is_flash:
        return FlashAttention(causal=causal, dropout=dropout, rng=rng)
    return ScaledDotProductAttention(causal=causal, dropout=dropout, rng=rng)


def make_cross_attention(config: StackConfig, rng: Rng) -> AddNorm:
    """Make a CrossAttention in its Add & Norm."""
    # never LocalAttention: source and target positions are not next to each other
    attention_class = FlashAttention if config.is_flash else ScaledDotProductAttention
    attention = attention_class(dropout=config.attention_dropout, rng=rng)
    return make_multi_head(CrossAttention, attention, config, rng)


def make_multi_head(
    multi_head_class: Callable[..., MultiHeadAttention],
    attention: ScaledDotProductAttention,
    config: StackConfig,
    rng: Rng,
) -> AddNorm:
    """Make a multi-head attention around what each head computes, in its Add & Norm."""
    multi_head = multi_head_class(
        config.d_model,
        config.n_heads,
        d_k=config.d_k,
        d_v=config.d_v,
        attention=attention,
        bias=config.attention_bias,
        init=config.init,
        rng=rng,
        dtype=config.dtype,
    )
    return make_add_norm(multi_head, config, rng)


def make_feed_forward(config: StackConfig, rng: Rng) -> AddNorm:
    """Make the feed-forward network in its Add & Norm."""
    feed_forward = FeedForward(
        config.d_model,
        config.d_ff,
        activation=config.activation,
        init=config.init,
        rng=rng,
        dtype=config.dtype,
    )
    return make_add_norm(feed_forward, config, rng)


def make_add_norm(sublayer: Module, config: StackConfig, rng: Rng) -> AddNorm:
    """Wrap a sub-layer in residual connection, dropout and the config's norm."""
    add_norm_class = PostNorm if config.norm == "post" else PreNorm
    return add_norm_class(
        sublayer, config.d_model, dropout=config.dropout, norm=make_norm(config), rng=rng
    )


def make_norm(config: StackConfig) -> Module:
    """Make a LayerNorm, or the RMSNorm of a language model."""
    norm_class = RMSNorm if config.norm == "rms" else LayerNorm
    return norm_class(config.d_model, eps=config.layer_norm_eps, dtype=config.dtype)


def make_final_norm(config: StackConfig) -> Module | None:
    """Make the norm that ends a stack, or None.

    By default there is one unless each layer already ends with one.
    """
    has_norm = config.final_norm
    if has_norm is None:
        has_norm = config.norm != "post"
    return make_norm(config) if has_norm else None


def make_layers(
    layer_class: Callable[..., Module], n: int, config: StackConfig, rng: Rng
) -> list[Module]:
    """Make n layers of an encoder or decoder.

    With `config.gradient_checkpointing` each is in a `Checkpointed`.
    """
    layers: list[Module] = []
    for _ in range(n):
        layer = layer_class(config, rng=rng)
        if config.gradient_checkpointing:
            layer = Checkpointed(layer)
        layers.append(layer)
    return layers
