"""The sub-layers of encoder and decoder, and the stacks of their layers, built as the config says."""

from ..layers import (
    CrossAttention,
    FeedForward,
    FlashAttention,
    LayerNorm,
    LocalAttention,
    MultiHeadAttention,
    PostNorm,
    PreNorm,
    ScaledDotProductAttention,
    SelfAttention,
)
from ..layers.add_norm import AddNorm
from ..module import Module
from ..utils import Rng
from .config import StackConfig
from .gradient_checkpointing import Checkpointed


def make_layers(layer: type[Module], n: int, config: StackConfig, rng: Rng) -> list[Module]:
    """Make n layers of an encoder or decoder; with `config.gradient_checkpointing` each is in a `Checkpointed`."""
    layers = [layer(config, rng=rng) for _ in range(n)]
    return [Checkpointed(layer) for layer in layers] if config.gradient_checkpointing else layers


def make_add_norm(sublayer: Module, config: StackConfig, rng: Rng) -> AddNorm:
    """Wrap a sub-layer in residual connection, dropout and LayerNorm."""
    add_norm = PreNorm if config.norm == "pre" else PostNorm
    settings = {"dropout": config.dropout, "eps": config.layer_norm_eps, "dtype": config.dtype}
    return add_norm(sublayer, config.d_model, rng=rng, **settings)


def make_self_attention(config: StackConfig, rng: Rng, *, causal: bool) -> AddNorm:
    """Make a SelfAttention in its Add & Norm; in a `causal` one no position sees later ones."""
    settings = {"causal": causal, "dropout": config.attention_dropout, "rng": rng}
    if config.neighbors is None:
        return _make_multi_head(SelfAttention, _attention_class(config)(**settings), config, rng)
    return _make_multi_head(
        SelfAttention, LocalAttention(config.neighbors, **settings), config, rng
    )


def make_cross_attention(config: StackConfig, rng: Rng) -> AddNorm:
    """Make a CrossAttention in its Add & Norm."""
    attention = _attention_class(config)(dropout=config.attention_dropout, rng=rng)
    return _make_multi_head(CrossAttention, attention, config, rng)


def make_feed_forward(config: StackConfig, rng: Rng) -> AddNorm:
    """Make the feed-forward network in its Add & Norm."""
    settings = {"activation": config.activation, "init": config.init, "dtype": config.dtype}
    return make_add_norm(FeedForward(config.d_model, config.d_ff, rng=rng, **settings), config, rng)


def make_final_norm(config: StackConfig) -> LayerNorm | None:
    """Make the LayerNorm that ends a stack: by default of a pre-norm one, because a post-norm stack ends with one."""
    has_norm = config.norm == "pre" if config.final_norm is None else config.final_norm
    return make_layer_norm(config) if has_norm else None


def make_layer_norm(config: StackConfig) -> LayerNorm:
    """Make a LayerNorm that is not part of an Add & Norm."""
    return LayerNorm(config.d_model, eps=config.layer_norm_eps, dtype=config.dtype)


def _attention_class(config: StackConfig) -> type[ScaledDotProductAttention]:
    return FlashAttention if config.is_flash else ScaledDotProductAttention


def _make_multi_head(
    kind: type[MultiHeadAttention], attention, config: StackConfig, rng
) -> AddNorm:
    settings = {
        "d_k": config.d_k,
        "d_v": config.d_v,
        "bias": config.attention_bias,
        "init": config.init,
    }
    multi_head = kind(
        config.d_model, config.n_heads, attention=attention, rng=rng, dtype=config.dtype, **settings
    )
    return make_add_norm(multi_head, config, rng)
