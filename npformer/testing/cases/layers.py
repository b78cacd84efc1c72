"""Gradient cases for every layer of npformer.layers."""

from inspect import signature

import numpy as np

from ... import layers
from .case import GradientCase
from .inputs import BATCH, D_FF, D_K, D_MODEL, D_V, MAX_LEN, N_HEADS, VOCAB, S, T, holey_mask, sentences, values


def _made(kind, rng, dtype, *sizes, **settings):
    """Return a layer, built with rng and dtype where it takes them."""
    given = {"rng": rng, "dtype": dtype}
    return kind(*sizes, **{name: x for name, x in given.items() if name in signature(kind).parameters}, **settings)


def _position_wise(name, kind, *sizes, **settings):
    """Return the case of a layer with one input x (B, T, D)."""

    def make(rng, dtype):
        return _made(kind, rng, dtype, *sizes, **settings), (values(rng, BATCH, T, D_MODEL),)

    return GradientCase(name, make)


def _attention(name, kind, *lengths, make_heads=layers.ScaledDotProductAttention, bias=True, **settings):
    """Return the case of a multi-head attention between sequences of these lengths, the queries' first."""

    def make(rng, dtype):
        sizes = {"d_k": D_K, "d_v": D_V, "bias": bias, "attention": make_heads(rng=rng, **settings)}
        return kind(D_MODEL, N_HEADS, **sizes, rng=rng, dtype=dtype), _sequences(rng, *lengths)

    return GradientCase(name, make)


def _heads(name, kind, *sizes, self_attention=False, **settings):
    """Return the case of an attention of heads (B, H, T, d) and a mask (B, 1, T, S)."""

    def make(rng, dtype):
        length = S if self_attention else T
        query, key = values(rng, BATCH, N_HEADS, length, D_K), values(rng, BATCH, N_HEADS, S, D_K)
        inputs = query, key, values(rng, BATCH, N_HEADS, S, D_V), holey_mask(rng, BATCH, 1, length, S)
        return kind(*sizes, **settings, rng=rng), inputs

    return GradientCase(name, make)


def _sequences(rng, *lengths):
    """Return an array (B, length, D) for each length, and a mask (B, first length, last length)."""
    return *(values(rng, BATCH, length, D_MODEL) for length in lengths), holey_mask(rng, BATCH, lengths[0], lengths[-1])


def _pooling(name, kind):
    """Return the case of a pooling of x (B, S, D), some of it padding, one text without a real token."""
    shown = np.arange(S) < np.array([[S], [S - 2], [0]])  # (B, S)
    return GradientCase(name, lambda rng, dtype: (kind(), (values(rng, BATCH, S, D_MODEL), shown)))


def _add_norm(name, kind):
    """Return the case of a feed-forward network in its Add & Norm."""

    def make(rng, dtype):
        feed_forward = layers.FeedForward(D_MODEL, D_FF, rng=rng, dtype=dtype)
        layer = kind(feed_forward, D_MODEL, dropout=0.25, rng=rng, dtype=dtype)
        return layer, (values(rng, BATCH, T, D_MODEL),)

    return GradientCase(name, make)


def _add_norm_around_attention(rng, dtype):
    """Return cross-attention in its Add & Norm, with its inputs."""
    sublayer = layers.CrossAttention(D_MODEL, N_HEADS, rng=rng, dtype=dtype)
    return layers.PostNorm(sublayer, D_MODEL, dropout=0.25, rng=rng, dtype=dtype), _sequences(rng, T, S)


def _replaced(name, kind, *, masked=True, **settings):
    """Return the case of a recurrent or convolutional layer: x (B, T, D), and if masked which tokens are real."""

    def make(rng, dtype):
        masks = (_tokens_with_gaps(rng),) if masked else ()
        return kind(D_MODEL, D_V, **settings, rng=rng, dtype=dtype), (values(rng, BATCH, T, D_MODEL), *masks)

    return GradientCase(name, make)


def _tokens_with_gaps(rng):
    """Return a mask (B, T): a full sentence, one with padding inside and at both ends, and one of padding alone."""
    real = rng.random((BATCH, T)) > 1 / 3
    real[0], real[1, [0, 3, T - 1]], real[1, [1, 4]], real[2] = True, False, True, False
    return real


LAYER_CASES = (
    _position_wise("Linear", layers.Linear, D_MODEL, D_FF),
    _position_wise("Linear without bias", layers.Linear, D_MODEL, D_FF, bias=False),
    _position_wise("ReLU", layers.ReLU),
    _position_wise("GELU", layers.GELU),
    _position_wise("GELU with tanh", layers.GELU, approximate="tanh"),
    _position_wise("SiLU", layers.SiLU),
    _position_wise("Softmax", layers.Softmax),
    GradientCase(
        "Softmax, masked",
        lambda rng, dtype: (layers.Softmax(), (values(rng, BATCH, T, S), holey_mask(rng, BATCH, T, S))),
    ),
    _position_wise("Dropout", layers.Dropout, 0.25),
    _position_wise("LayerNorm", layers.LayerNorm, D_MODEL),
    _position_wise("LayerNorm, large eps", layers.LayerNorm, D_MODEL, eps=0.5),
    GradientCase(
        "Embedding",
        lambda rng, dtype: (layers.Embedding(VOCAB, D_MODEL, rng=rng, dtype=dtype), (sentences(rng, T, VOCAB),)),
    ),
    _position_wise("Generator", layers.Generator, VOCAB, D_MODEL),
    _position_wise("Generator with bias", layers.Generator, VOCAB, D_MODEL, bias=True),
    _position_wise("SinusoidalPositionalEncoding", layers.SinusoidalPositionalEncoding, D_MODEL, max_len=MAX_LEN),
    _position_wise(
        "SinusoidalPositionalEncoding in halves",
        *(layers.SinusoidalPositionalEncoding, D_MODEL),
        max_len=MAX_LEN,
        halves=True,
    ),
    _position_wise("LearnedPositionalEncoding", layers.LearnedPositionalEncoding, D_MODEL, max_len=MAX_LEN),
    _heads("ScaledDotProductAttention", layers.ScaledDotProductAttention),
    _heads("ScaledDotProductAttention with dropout", layers.ScaledDotProductAttention, dropout=0.25),
    _heads("ScaledDotProductAttention, causal", layers.ScaledDotProductAttention, causal=True),
    _heads("FlashAttention", layers.FlashAttention, block=3),
    _heads("FlashAttention, causal, with dropout", layers.FlashAttention, block=3, causal=True, dropout=0.25),
    _heads("LocalAttention", layers.LocalAttention, 3, size=3, self_attention=True),
    _heads(
        "LocalAttention, causal, with dropout",
        *(layers.LocalAttention, 5),
        size=3,
        self_attention=True,
        causal=True,
        dropout=0.25,
    ),
    _attention("MultiHeadAttention", layers.MultiHeadAttention, T, S, S, dropout=0.25),
    _attention("MultiHeadAttention without bias", layers.MultiHeadAttention, T, S, S, bias=False),
    _attention("SelfAttention", layers.SelfAttention, T, dropout=0.25),
    _attention("SelfAttention, causal", layers.SelfAttention, T, causal=True),
    _attention(
        "SelfAttention, FlashAttention",
        layers.SelfAttention,
        T,
        make_heads=layers.FlashAttention,
        block=3,
        causal=True,
        dropout=0.25,
    ),
    _attention(
        "SelfAttention, restricted",
        layers.SelfAttention,
        T,
        make_heads=layers.LocalAttention,
        neighbors=3,
        causal=True,
        dropout=0.25,
    ),
    _attention("CrossAttention", layers.CrossAttention, T, S, dropout=0.25),
    _position_wise("FeedForward", layers.FeedForward, D_MODEL, D_FF),
    _pooling("MeanPooling", layers.MeanPooling),
    _pooling("MaxPooling", layers.MaxPooling),
    _pooling("FirstTokenPooling", layers.FirstTokenPooling),
    _position_wise("FeedForward with GELU", layers.FeedForward, D_MODEL, D_FF, activation="gelu"),
    _position_wise("FeedForward with SiLU", layers.FeedForward, D_MODEL, D_FF, activation="silu"),
    _add_norm("PostNorm", layers.PostNorm),
    _add_norm("PreNorm", layers.PreNorm),
    GradientCase("PostNorm around CrossAttention", _add_norm_around_attention),
    _replaced("LSTM", layers.LSTM, masked=False),
    _replaced("LSTM, masked", layers.LSTM),
    _replaced("LSTM from right to left, masked", layers.LSTM, reverse=True),
    _replaced("BidirectionalLSTM", layers.BidirectionalLSTM, masked=False),
    _replaced("BidirectionalLSTM, masked", layers.BidirectionalLSTM),
    _replaced("Convolution", layers.Convolution, masked=False, width=4),
    _replaced("Convolution, masked, dilated", layers.Convolution, width=3, dilation=2),
    _replaced("Convolution, masked, dilated, causal", layers.Convolution, width=3, dilation=2, causal=True),
)
