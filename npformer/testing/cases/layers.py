"""Cases for every layer of npformer.layers."""

from functools import partial

import numpy as np

from ... import layers
from .case import GradientCase
from .inputs import BATCH, D_FF, D_K, D_MODEL, D_V, MAX_LEN, N_HEADS, VOCAB, S, T, holey_mask, sentences, values


def position_wise(name, make_layer):
    """Return the case of a layer that takes one x (B, T, D)."""
    return GradientCase(name, lambda rng, dtype: (make_layer(rng, dtype), (values(rng, BATCH, T, D_MODEL),)))


def attention(name, kind, *lengths, make_heads=layers.ScaledDotProductAttention, bias=True, **settings):
    """Return the case of a multi-head attention between sequences of these lengths, the queries' first."""
    sizes = {"d_k": D_K, "d_v": D_V, "bias": bias}

    def make(rng, dtype):
        heads = make_heads(rng=rng, **settings)
        return kind(D_MODEL, N_HEADS, attention=heads, **sizes, rng=rng, dtype=dtype), sequences(rng, *lengths)

    return GradientCase(name, make)


def heads_of_attention(rng):
    """Return query (B, H, T, d_k), key (B, H, S, d_k), value (B, H, S, d_v) and a mask (B, 1, T, S)."""
    query, key = values(rng, BATCH, N_HEADS, T, D_K), values(rng, BATCH, N_HEADS, S, D_K)
    return query, key, values(rng, BATCH, N_HEADS, S, D_V), holey_mask(rng, BATCH, 1, T, S)


def restricted(name, neighbours, **settings):
    """Return the case of a restricted attention with inputs as those above, all of one length, in several blocks."""

    def make(rng, dtype):
        query, key, value = (values(rng, BATCH, N_HEADS, S, d) for d in (D_K, D_K, D_V))
        layer = layers.LocalAttention(neighbours, size=3, rng=rng, **settings)
        return layer, (query, key, value, holey_mask(rng, BATCH, 1, S, S))

    return GradientCase(name, make)


def blockwise(name, **settings):
    """Return the case of an attention by blocks, of three positions at most, with inputs as those above."""

    def make(rng, dtype):
        return layers.FlashAttention(block=3, rng=rng, **settings), heads_of_attention(rng)

    return GradientCase(name, make)


def sequences(rng, *lengths):
    """Return an array (B, length, D) for each length, and a mask (B, first length, last length)."""
    return *(values(rng, BATCH, length, D_MODEL) for length in lengths), holey_mask(rng, BATCH, lengths[0], lengths[-1])


def pooling(name, kind):
    """Return the case of a pooling of x (B, S, D), some of it padding, one text without a real token."""
    shown = np.arange(S) < np.array([[S], [S - 2], [0]])  # (B, S)
    return GradientCase(name, lambda rng, dtype: (kind(), (values(rng, BATCH, S, D_MODEL), shown)))


def add_norm(rng, dtype, kind):
    """Return a feed-forward network in its Add & Norm."""
    feed_forward = layers.FeedForward(D_MODEL, D_FF, rng=rng, dtype=dtype)
    return kind(feed_forward, D_MODEL, dropout=0.25, rng=rng, dtype=dtype)


def add_norm_around_attention(rng, dtype):
    """Return cross-attention in its Add & Norm, with its inputs."""
    sublayer = layers.CrossAttention(D_MODEL, N_HEADS, rng=rng, dtype=dtype)
    return layers.PostNorm(sublayer, D_MODEL, dropout=0.25, rng=rng, dtype=dtype), sequences(rng, T, S)


def replaced(name, kind, *, masked=True, **settings):
    """Return the case of a layer that the Transformer replaced: x (B, T, D), and if masked which tokens are real."""

    def make(rng, dtype):
        masks = (tokens_with_gaps(rng),) if masked else ()
        return kind(D_MODEL, D_V, **settings, rng=rng, dtype=dtype), (values(rng, BATCH, T, D_MODEL), *masks)

    return GradientCase(name, make)


def tokens_with_gaps(rng):
    """Return a mask (B, T): a full sentence, one with padding inside and at both ends, and one of padding alone."""
    real = rng.random((BATCH, T)) > 1 / 3
    real[0], real[1, [0, 3, T - 1]], real[1, [1, 4]], real[2] = True, False, True, False
    return real


LAYER_CASES = (
    position_wise("Linear", lambda rng, dtype: layers.Linear(D_MODEL, D_FF, rng=rng, dtype=dtype)),
    position_wise(
        "Linear without bias", lambda rng, dtype: layers.Linear(D_MODEL, D_FF, bias=False, rng=rng, dtype=dtype)
    ),
    position_wise("ReLU", lambda rng, dtype: layers.ReLU()),
    position_wise("GELU", lambda rng, dtype: layers.GELU()),
    position_wise("GELU with tanh", lambda rng, dtype: layers.GELU(approximate="tanh")),
    position_wise("SiLU", lambda rng, dtype: layers.SiLU()),
    position_wise("Softmax", lambda rng, dtype: layers.Softmax()),
    GradientCase(
        "Softmax, masked",
        lambda rng, dtype: (layers.Softmax(), (values(rng, BATCH, T, S), holey_mask(rng, BATCH, T, S))),
    ),
    position_wise("Dropout", lambda rng, dtype: layers.Dropout(0.25, rng=rng)),
    position_wise("LayerNorm", lambda rng, dtype: layers.LayerNorm(D_MODEL, dtype=dtype)),
    position_wise("LayerNorm, large eps", lambda rng, dtype: layers.LayerNorm(D_MODEL, eps=0.5, dtype=dtype)),
    GradientCase(
        "Embedding",
        lambda rng, dtype: (layers.Embedding(VOCAB, D_MODEL, rng=rng, dtype=dtype), (sentences(rng, T, VOCAB),)),
    ),
    position_wise("Generator", lambda rng, dtype: layers.Generator(VOCAB, D_MODEL, rng=rng, dtype=dtype)),
    position_wise(
        "Generator with bias", lambda rng, dtype: layers.Generator(VOCAB, D_MODEL, bias=True, rng=rng, dtype=dtype)
    ),
    position_wise(
        "SinusoidalPositionalEncoding",
        lambda rng, dtype: layers.SinusoidalPositionalEncoding(D_MODEL, max_len=MAX_LEN, dtype=dtype),
    ),
    position_wise(
        "SinusoidalPositionalEncoding in halves",
        lambda rng, dtype: layers.SinusoidalPositionalEncoding(D_MODEL, max_len=MAX_LEN, halves=True, dtype=dtype),
    ),
    position_wise(
        "LearnedPositionalEncoding",
        lambda rng, dtype: layers.LearnedPositionalEncoding(D_MODEL, max_len=MAX_LEN, rng=rng, dtype=dtype),
    ),
    GradientCase(
        "ScaledDotProductAttention", lambda rng, dtype: (layers.ScaledDotProductAttention(), heads_of_attention(rng))
    ),
    GradientCase(
        "ScaledDotProductAttention with dropout",
        lambda rng, dtype: (layers.ScaledDotProductAttention(dropout=0.25, rng=rng), heads_of_attention(rng)),
    ),
    GradientCase(
        "ScaledDotProductAttention, causal",
        lambda rng, dtype: (layers.ScaledDotProductAttention(causal=True), heads_of_attention(rng)),
    ),
    blockwise("FlashAttention"),
    blockwise("FlashAttention, causal, with dropout", causal=True, dropout=0.25),
    restricted("LocalAttention", 3),
    restricted("LocalAttention, causal, with dropout", 5, causal=True, dropout=0.25),
    attention("MultiHeadAttention", layers.MultiHeadAttention, T, S, S, dropout=0.25),
    attention("MultiHeadAttention without bias", layers.MultiHeadAttention, T, S, S, bias=False),
    attention("SelfAttention", layers.SelfAttention, T, dropout=0.25),
    attention("SelfAttention, causal", layers.SelfAttention, T, causal=True),
    attention(
        "SelfAttention, blockwise",
        layers.SelfAttention,
        T,
        make_heads=partial(layers.FlashAttention, block=3),
        causal=True,
        dropout=0.25,
    ),
    attention(
        "SelfAttention, restricted",
        layers.SelfAttention,
        T,
        make_heads=partial(layers.LocalAttention, 3),
        causal=True,
        dropout=0.25,
    ),
    attention("CrossAttention", layers.CrossAttention, T, S, dropout=0.25),
    position_wise("FeedForward", lambda rng, dtype: layers.FeedForward(D_MODEL, D_FF, rng=rng, dtype=dtype)),
    pooling("MeanPooling", layers.MeanPooling),
    pooling("MaxPooling", layers.MaxPooling),
    pooling("FirstTokenPooling", layers.FirstTokenPooling),
    position_wise(
        "FeedForward with GELU",
        lambda rng, dtype: layers.FeedForward(D_MODEL, D_FF, activation="gelu", rng=rng, dtype=dtype),
    ),
    position_wise(
        "FeedForward with SiLU",
        lambda rng, dtype: layers.FeedForward(D_MODEL, D_FF, activation="silu", rng=rng, dtype=dtype),
    ),
    position_wise("PostNorm", lambda rng, dtype: add_norm(rng, dtype, layers.PostNorm)),
    position_wise("PreNorm", lambda rng, dtype: add_norm(rng, dtype, layers.PreNorm)),
    GradientCase("PostNorm around CrossAttention", add_norm_around_attention),
    replaced("LSTM", layers.LSTM, masked=False),
    replaced("LSTM, masked", layers.LSTM),
    replaced("LSTM from right to left, masked", layers.LSTM, reverse=True),
    replaced("BidirectionalLSTM", layers.BidirectionalLSTM, masked=False),
    replaced("BidirectionalLSTM, masked", layers.BidirectionalLSTM),
    replaced("Convolution", layers.Convolution, masked=False, width=4),
    replaced("Convolution, masked, dilated", layers.Convolution, width=3, dilation=2),
    replaced("Convolution, masked, dilated, causal", layers.Convolution, width=3, dilation=2, causal=True),
)
