"""The sub-layers of both columns, each in its Add & Norm, built as the config asks."""

from ..layers import CrossAttention, FeedForward, LayerNorm, MultiHeadAttention, PostNorm, PreNorm, SelfAttention
from ..layers.add_norm import AddNorm
from ..module import Module
from .config import StackConfig


def add_norm(sublayer: Module, config: StackConfig, rng) -> AddNorm:
    """Wrap a sub-layer in residual connection, dropout and LayerNorm."""
    kind = PreNorm if config.norm == "pre" else PostNorm
    settings = {"dropout": config.dropout, "eps": config.layer_norm_eps, "dtype": config.dtype}
    return kind(sublayer, config.d_model, rng=rng, **settings)


def self_attention(config: StackConfig, rng, *, causal: bool) -> AddNorm:
    """Build a SelfAttention in its Add & Norm; in a `causal` one no position sees those after it."""
    return attention(SelfAttention, config, rng, causal=causal, neighbours=config.neighbours)


def cross_attention(config: StackConfig, rng) -> AddNorm:
    """Build a CrossAttention in its Add & Norm."""
    return attention(CrossAttention, config, rng)


def attention(kind: type[MultiHeadAttention], config: StackConfig, rng, **settings) -> AddNorm:
    """Build an attention of this kind in its Add & Norm."""
    settings |= {"d_k": config.d_k, "d_v": config.d_v, "dropout": config.attention_dropout}
    settings |= {"bias": config.attention_bias, "init": config.init, "dtype": config.dtype}
    settings |= {"blockwise_from": config.blockwise_from}
    return add_norm(kind(config.d_model, config.n_heads, rng=rng, **settings), config, rng)


def feed_forward(config: StackConfig, rng) -> AddNorm:
    """Build the feed-forward network in its Add & Norm."""
    settings = {"activation": config.activation, "init": config.init, "dtype": config.dtype}
    return add_norm(FeedForward(config.d_model, config.d_ff, rng=rng, **settings), config, rng)


def final_norm(config: StackConfig) -> LayerNorm | None:
    """Build the LayerNorm that ends a stack: if not said, of a pre-norm one; a post-norm stack has just passed one."""
    wanted = config.norm == "pre" if config.final_norm is None else config.final_norm
    return layer_norm(config) if wanted else None


def layer_norm(config: StackConfig) -> LayerNorm:
    """Build a LayerNorm that stands in no Add & Norm."""
    return LayerNorm(config.d_model, eps=config.layer_norm_eps, dtype=config.dtype)
