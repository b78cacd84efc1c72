"""The sub-layers of both columns, each in its Add & Norm, built as the config asks."""

from ..layers import FeedForward, LayerNorm, MultiHeadAttention, PostNorm, PreNorm
from ..layers.add_norm import AddNorm
from ..module import Module
from .config import ColumnConfig


def add_norm(sublayer: Module, config: ColumnConfig, rng) -> AddNorm:
    """Wrap a sub-layer in residual connection, dropout and LayerNorm."""
    kind = PreNorm if config.norm == "pre" else PostNorm
    settings = {"dropout": config.dropout, "eps": config.layer_norm_eps, "dtype": config.dtype}
    return kind(sublayer, config.d_model, rng=rng, **settings)


def attention(kind: type[MultiHeadAttention], config: ColumnConfig, rng) -> AddNorm:
    """Build a SelfAttention or a CrossAttention in its Add & Norm."""
    settings = {"d_k": config.d_k, "d_v": config.d_v, "dropout": config.attention_dropout}
    settings |= {"bias": config.attention_bias, "init": config.init, "dtype": config.dtype}
    return add_norm(kind(config.d_model, config.n_heads, rng=rng, **settings), config, rng)


def feed_forward(config: ColumnConfig, rng) -> AddNorm:
    """Build the feed-forward network in its Add & Norm."""
    settings = {"activation": config.activation, "init": config.init, "dtype": config.dtype}
    return add_norm(FeedForward(config.d_model, config.d_ff, rng=rng, **settings), config, rng)


def final_norm(config: ColumnConfig) -> LayerNorm | None:
    """Build the LayerNorm that ends a pre-norm stack; a post-norm stack has just passed one."""
    return LayerNorm(config.d_model, eps=config.layer_norm_eps, dtype=config.dtype) if config.norm == "pre" else None
