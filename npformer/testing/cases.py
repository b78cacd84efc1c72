"""The cases of the gradient check: every layer, the loss, and whole models.

Each has inputs on which a wrong gradient shows: all sizes differ, tokens repeat, and positions are
hidden.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from .. import layers, models
from ..backend import to_device
from ..models.gradient_checkpointing import Checkpointed
from ..module import Module
from ..tasks import (
    ClassificationBatch,
    LabelSmoothingLoss,
    LanguageModelBatch,
    Objective,
    TranslationBatch,
)
from .gradient_check import TOLERANCE, GradientReport, gradcheck
from .layer_gradients import is_float

# all sizes differ: with equal ones an exchange of axes would not show
N_HEADS = 2
BATCH = 3
D_V = 4
D_K = 5
D_MODEL = 6
T = 7
S = 8
D_FF = 9
MAX_LEN = 10
VOCAB = 11
SRC_VOCAB = 13
N_CLASSES = 14
PAD_ID = 0


@dataclass(frozen=True)
class GradientCase:
    """A layer and its inputs, drawn again by each `build`.

    Arguments:
        name: Its name.
        make: A function of a random generator and a dtype, which returns the layer and its inputs.
    """

    name: str
    make: Callable[[np.random.Generator, str], tuple[Module, tuple]]

    def build(self, rng: np.random.Generator, dtype: str = "float64") -> tuple[Module, tuple]:
        """Return the layer and its inputs, where the library in use keeps its arrays.

        Every parameter is moved by noise of order 1: a gain of 1 or a bias of 0 would hide what is
        missing.
        """
        layer, inputs = self.make(rng, dtype)
        for parameter in layer.parameters():
            parameter.data += to_device(rng.normal(0, 0.5, parameter.data.shape))
        return layer, tuple(_convert(x, dtype) for x in inputs)


def _convert(x: Any, dtype: str) -> Any:
    """Return an input with arrays of floats in this dtype, where the library in use keeps them."""
    if is_float(x):
        x = x.astype(dtype)
    return to_device(x) if hasattr(x, "dtype") else x


def check(
    case: GradientCase, *, seed: int = 0, entries: int | None = None, tolerance: float = TOLERANCE
) -> GradientReport:
    """Run the gradient check on a case.

    Arguments:
        case: The case.
        seed: The seed of weights and inputs.
        entries: How many entries of each array are checked; None checks all.
        tolerance: The largest relative error that counts as correct.
    """
    layer, inputs = case.build(np.random.default_rng(seed))
    # a stream of its own: the upstream gradient must not repeat the weights
    upstream = np.random.default_rng([seed, 1])
    report = gradcheck(layer, *inputs, rng=upstream, tolerance=tolerance, entries=entries)
    return replace(report, title=case.name)


def _draw_x(rng: np.random.Generator, length: int = T, d: int = D_MODEL) -> tuple[np.ndarray]:
    """Draw an input (B, length, d) of order 1, in a tuple."""
    return (rng.normal(size=(BATCH, length, d)),)


def _draw_ids(
    rng: np.random.Generator, length: int, vocab_size: int = VOCAB, shortest: int = 2
) -> np.ndarray:
    """Draw ids (B, length): the first sentence full, the last `shortest` tokens long.

    After its tokens a sentence has padding.
    """
    ids = rng.integers(1, vocab_size, (BATCH, length))
    # a repeated token shows a backward that overwrites its row of the gradient, not adds to it
    ids[:, 1] = ids[:, 0]
    ids[1, length - 2 :] = PAD_ID
    ids[2, shortest:] = PAD_ID
    return ids


def _draw_mask(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw a mask (..., T, S) that hides a third of the positions, and all from one query."""
    mask = rng.random(shape) > 1 / 3
    # in causal self-attention query 0 sees key 0 alone, so that it has no key at all
    mask[..., 0, 0] = False
    # query 1 of the first sentence has no key in any attention
    mask[0, ..., 1, :] = False
    return mask


def _case(name, kind, *sizes, inputs=_draw_x, **settings):
    """Return the case of a layer, built with rng and dtype where it takes them.

    `inputs(rng)` draws its inputs.
    """

    def make(rng, dtype):
        arguments = dict(settings)
        if "rng" in signature(kind).parameters:
            arguments["rng"] = rng
        if "dtype" in signature(kind).parameters:
            arguments["dtype"] = dtype
        return kind(*sizes, **arguments), inputs(rng)

    return GradientCase(name, make)


def _attention(name, kind, *lengths, heads=layers.ScaledDotProductAttention, bias=True, **settings):
    """Return the case of a multi-head attention between sequences of these lengths.

    The length of the queries is the first.
    """

    def make(rng, dtype):
        layer = kind(
            D_MODEL,
            N_HEADS,
            d_k=D_K,
            d_v=D_V,
            bias=bias,
            attention=heads(rng=rng, **settings),
            rng=rng,
            dtype=dtype,
        )
        return layer, _sequences(rng, lengths)

    return GradientCase(name, make)


def _add_norm(name, kind, sublayer, size, inputs=_draw_x):
    """Return the case of a sublayer in its Add & Norm."""

    def make(rng, dtype):
        inner = sublayer(D_MODEL, size, rng=rng, dtype=dtype)
        return kind(inner, D_MODEL, dropout=0.25, rng=rng, dtype=dtype), inputs(rng)

    return GradientCase(name, make)


def _sequences(rng, lengths):
    """Draw an array (B, length, D) for each length, and a mask (B, first length, last length)."""
    arrays = [_draw_x(rng, n)[0] for n in lengths]
    return *arrays, _draw_mask(rng, BATCH, lengths[0], lengths[-1])


def _heads(rng, length=T, d_k=D_K, n_queries=N_HEADS):
    """Draw query, key and value of heads (B, H, length or S, d), and a mask (B, 1, length, S)."""
    query = rng.normal(size=(BATCH, n_queries, length, d_k))
    key = rng.normal(size=(BATCH, N_HEADS, S, d_k))
    value = rng.normal(size=(BATCH, N_HEADS, S, D_V))
    return query, key, value, _draw_mask(rng, BATCH, 1, length, S)


def _x_with_gaps(rng):
    """Draw x (B, T, D) and which tokens are real.

    There are a full sentence, one with padding inside and at both ends, and one of padding alone.
    """
    real = rng.random((BATCH, T)) > 1 / 3
    real[0] = True
    real[1, [0, 3, T - 1]] = False
    real[1, [1, 4]] = True
    real[2] = False
    return *_draw_x(rng), real


def _masked_x(rng, d, length):
    """Draw an input (B, T, d), and a mask (B, T, length)."""
    return *_draw_x(rng, T, d), _draw_mask(rng, BATCH, T, length)


def _rotary_of_groups(rng, dtype):
    """Return rotary attention whose heads share keys and values, in tiles; and heads."""
    flash = layers.FlashAttention(block_size=3, causal=True, dropout=0.25, rng=rng)
    grouped = layers.GroupedAttention(N_HEADS, attention=flash)
    layer = layers.RotaryAttention(D_MODEL, attention=grouped, pairs="halves", dtype=dtype)
    return layer, _heads(rng, d_k=D_MODEL, n_queries=3 * N_HEADS)


CAUSAL_DROPOUT = {"causal": True, "dropout": 0.25}
DILATED = {"width": 3, "dilation": 2}
_local = partial(layers.LocalAttention, 3)
_self_heads = partial(_heads, length=S)
_two_sequences = partial(_sequences, lengths=(T, S))
LAYER_CASES = (
    _case("Linear", layers.Linear, D_MODEL, D_FF),
    _case("Linear without bias", layers.Linear, D_MODEL, D_FF, bias=False),
    _case("ReLU", layers.ReLU),
    _case("GELU", layers.GELU),
    _case("GELUTanh", layers.GELUTanh),
    _case("SiLU", layers.SiLU),
    _case("Softmax", layers.Softmax),
    _case("Softmax, masked", layers.Softmax, inputs=lambda rng: _masked_x(rng, S, S)),
    _case("Dropout", layers.Dropout, 0.25),
    _case("LayerNorm", layers.LayerNorm, D_MODEL),
    _case("LayerNorm, large eps", layers.LayerNorm, D_MODEL, eps=0.5),
    _case("Embedding", layers.Embedding, VOCAB, D_MODEL, inputs=lambda rng: (_draw_ids(rng, T),)),
    _case(
        "Embedding, scaled",
        layers.Embedding,
        VOCAB,
        D_MODEL,
        scale=0.5,
        inputs=lambda rng: (_draw_ids(rng, T),),
    ),
    _case("Generator", layers.Generator, VOCAB, D_MODEL),
    _case("Generator with bias", layers.Generator, VOCAB, D_MODEL, bias=True),
    _case(
        "SinusoidalPositionalEncoding",
        layers.SinusoidalPositionalEncoding,
        D_MODEL,
        max_len=MAX_LEN,
    ),
    _case(
        "Sinusoids, concatenated",
        layers.SinusoidalPositionalEncoding,
        D_MODEL,
        max_len=MAX_LEN,
        interleaved=False,
    ),
    _case("LearnedPositionalEncoding", layers.LearnedPositionalEncoding, D_MODEL, max_len=MAX_LEN),
    _case(
        "LearnedPositionalEncoding, from the second position",
        layers.LearnedPositionalEncoding,
        D_MODEL,
        max_len=MAX_LEN,
        inputs=lambda rng: (*_draw_x(rng), 1),
    ),
    _case("ScaledDotProductAttention", layers.ScaledDotProductAttention, inputs=_heads),
    _case(
        "ScaledDotProductAttention with dropout",
        layers.ScaledDotProductAttention,
        dropout=0.25,
        inputs=_heads,
    ),
    _case(
        "ScaledDotProductAttention, causal",
        layers.ScaledDotProductAttention,
        causal=True,
        inputs=_heads,
    ),
    _case("FlashAttention", layers.FlashAttention, block_size=3, inputs=_heads),
    _case(
        "FlashAttention, causal, with dropout",
        layers.FlashAttention,
        block_size=3,
        inputs=_heads,
        **CAUSAL_DROPOUT,
    ),
    _case("LocalAttention", layers.LocalAttention, 3, block_size=3, inputs=_self_heads),
    _case(
        "LocalAttention, causal, dropout",
        layers.LocalAttention,
        5,
        block_size=3,
        inputs=_self_heads,
        **CAUSAL_DROPOUT,
    ),
    _attention("MultiHeadAttention", layers.MultiHeadAttention, T, S, S, dropout=0.25),
    _attention("MultiHeadAttention without bias", layers.MultiHeadAttention, T, S, S, bias=False),
    _attention("SelfAttention", layers.SelfAttention, T, dropout=0.25),
    _attention("SelfAttention, causal", layers.SelfAttention, T, causal=True),
    _attention(
        "SelfAttention, flash",
        layers.SelfAttention,
        T,
        heads=layers.FlashAttention,
        block_size=3,
        **CAUSAL_DROPOUT,
    ),
    _attention("SelfAttention, local", layers.SelfAttention, T, heads=_local, **CAUSAL_DROPOUT),
    _attention("CrossAttention", layers.CrossAttention, T, S, dropout=0.25),
    _case("FeedForward", layers.FeedForward, D_MODEL, D_FF),
    _case("MeanPooling", layers.MeanPooling, inputs=_x_with_gaps),
    _case("MaxPooling", layers.MaxPooling, inputs=_x_with_gaps),
    _case("FirstTokenPooling", layers.FirstTokenPooling, inputs=_x_with_gaps),
    _case("FeedForward with GELU", layers.FeedForward, D_MODEL, D_FF, activation="gelu"),
    _case("FeedForward with SiLU", layers.FeedForward, D_MODEL, D_FF, activation="silu"),
    _case("FeedForward without bias", layers.FeedForward, D_MODEL, D_FF, bias=False),
    _add_norm("PostNorm", layers.PostNorm, layers.FeedForward, D_FF),
    _add_norm("PreNorm", layers.PreNorm, layers.FeedForward, D_FF),
    _add_norm(
        "PostNorm around CrossAttention",
        layers.PostNorm,
        layers.CrossAttention,
        N_HEADS,
        _two_sequences,
    ),
    _case("RMSNorm", layers.RMSNorm, D_MODEL),
    _case("SwiGLU", layers.SwiGLU, D_MODEL, D_FF),
    _case("SwiGLU with bias", layers.SwiGLU, D_MODEL, D_FF, bias=True),
    _case("RotaryPositionalEncoding", layers.RotaryPositionalEncoding, D_MODEL, max_len=MAX_LEN),
    _case(
        "RotaryPositionalEncoding, halves",
        layers.RotaryPositionalEncoding,
        D_MODEL,
        max_len=MAX_LEN,
        base=5.0,
        pairs="halves",
    ),
    _case("RotaryAttention", layers.RotaryAttention, D_MODEL, inputs=partial(_heads, d_k=D_MODEL)),
    GradientCase("RotaryAttention of groups, flash", _rotary_of_groups),
    _case(
        "GroupedAttention",
        layers.GroupedAttention,
        N_HEADS,
        inputs=partial(_heads, n_queries=3 * N_HEADS),
    ),
    _case(
        "GroupedQueryAttention",
        layers.GroupedQueryAttention,
        18,
        6,
        2,
        inputs=lambda rng: _masked_x(rng, 18, T),
    ),
    _case(
        "GroupedQueryAttention, sizes of heads",
        layers.GroupedQueryAttention,
        D_MODEL,
        4,
        2,
        d_k=D_K,
        d_v=D_V,
        bias=False,
        inputs=lambda rng: _masked_x(rng, D_MODEL, T),
    ),
    _case("LSTM", layers.LSTM, D_MODEL, D_V),
    _case("LSTM, masked", layers.LSTM, D_MODEL, D_V, inputs=_x_with_gaps),
    _case("BidirectionalLSTM", layers.BidirectionalLSTM, D_MODEL, D_V),
    _case("BidirectionalLSTM, masked", layers.BidirectionalLSTM, D_MODEL, D_V, inputs=_x_with_gaps),
    _case("Convolution", layers.Convolution, D_MODEL, D_V, width=4),
    _case(
        "Convolution, masked, dilated",
        layers.Convolution,
        D_MODEL,
        D_V,
        inputs=_x_with_gaps,
        **DILATED,
    ),
    _case(
        "Convolution, causal",
        layers.Convolution,
        D_MODEL,
        D_V,
        inputs=_x_with_gaps,
        causal=True,
        **DILATED,
    ),
)

SETTINGS = {
    "d_model": D_MODEL,
    "d_ff": D_FF,
    "n_heads": N_HEADS,
    "d_k": D_K,
    "d_v": D_V,
    "max_len": MAX_LEN,
    "dropout": 0.25,
    "attention_dropout": 0.25,
    "pad_id": PAD_ID,
}
TRANSFORMER = {
    "src_vocab_size": VOCAB,
    "tgt_vocab_size": VOCAB,
    "n_encoder_layers": 1,
    "n_decoder_layers": 2,
}


def _config(dtype, **settings):
    return models.TransformerConfig(**{**SETTINGS, **TRANSFORMER, "dtype": dtype, **settings})


def _loss(rng, dtype, *, eps):
    logits = rng.normal(size=(BATCH, T, VOCAB))
    return LabelSmoothingLoss(eps=eps, pad_id=PAD_ID), (logits, _draw_ids(rng, T))


def _encoder_layer(rng, dtype, **settings):
    layer = models.EncoderLayer(_config(dtype, **settings), rng=rng)
    return layer, (*_draw_x(rng, S), _draw_mask(rng, BATCH, S, S))


def _checkpointed(rng, dtype):
    layer, inputs = _encoder_layer(rng, dtype)
    return Checkpointed(layer), inputs


def _decoder_layer(rng, dtype, **settings):
    layer = models.DecoderLayer(_config(dtype, **settings), rng=rng)
    mask = layers.causal_mask(T)
    # with shortest=0 one source is nothing but padding
    memory_mask = layers.padding_mask(_draw_ids(rng, S, shortest=0), PAD_ID)
    return layer, (*_draw_x(rng, T), *_draw_x(rng, S), mask, memory_mask)


def _transformer(rng, dtype, *, label_smoothing=0.1, shortest=2, **settings):
    """Return a Transformer with its loss, and a batch.

    `shortest` is the length of the shortest source sentence.
    """
    model = models.Transformer(_config(dtype, **settings), rng=rng)
    src = _draw_ids(rng, S, model.config.src_vocab_size, shortest)
    tgt = _draw_ids(rng, T + 1)
    if model.config.start_id == PAD_ID:
        # Marian's decoder begins with <pad>, which is then a token and not padding
        tgt[:, 0] = PAD_ID
    batch = TranslationBatch(src, tgt[:, :-1], tgt[:, 1:])
    return Objective(model, label_smoothing=label_smoothing), (batch,)


def _logits(rng, dtype):
    """Return a Transformer without a loss, the logits of padding among the others, and ids."""
    objective, (batch,) = _transformer(rng, dtype)
    return objective.model, batch.inputs


def _language_model(rng, dtype, **settings):
    settings = {**SETTINGS, "vocab_size": VOCAB, "n_decoder_layers": 2, "dtype": dtype, **settings}
    model = models.LanguageModel(models.LanguageModelConfig(**settings), rng=rng)
    ids = _draw_ids(rng, T + 1)
    targets = np.where(ids == PAD_ID, LanguageModelBatch.pad_id, ids)
    return Objective(model), (LanguageModelBatch(ids[:, :-1], targets[:, 1:]),)


def _classifier(rng, dtype, **settings):
    sizes = {"vocab_size": VOCAB, "n_classes": N_CLASSES, "n_encoder_layers": 2}
    settings = {**SETTINGS, **sizes, "dtype": dtype, **settings}
    model = models.Classifier(models.ClassifierConfig(**settings), rng=rng)
    labels = rng.permutation(N_CLASSES)[:BATCH]
    # class 0 counts, although 0 is the id of padding elsewhere
    labels[1] = 0
    return Objective(model), (ClassificationBatch(_draw_ids(rng, S), labels),)


def _model_case(name, make, **settings):
    return GradientCase(name, partial(make, **settings))


PLAIN = {
    "tie_embeddings": "none",
    "attention_bias": False,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "label_smoothing": 0.0,
}
MARIAN = {"activation": "silu", "positions": "sinusoidal_concatenated"}
NORMS = {"embedding_norm": True, "final_norm": True, "generator_bias": True}
PRE_LEARNED = {"norm": "pre", "positions": "learned"}
GPT2 = {**PRE_LEARNED, "activation": "gelu_tanh", "embedding_scale": 0.5, "pad_id": None}
LLAMA = {
    "norm": "rms",
    "positions": "rotary",
    "rotary_pairs": "halves",
    "activation": "swiglu",
    "n_heads": 4,
    "n_kv_heads": 2,
    "d_k": 8,
    "attention_bias": False,
    "feed_forward_bias": False,
    "tie_embeddings": "none",
}
EMBEDDING_NORM = {**PRE_LEARNED, "embedding_norm": True, "final_norm": False}
MODEL_CASES = (
    _model_case("LabelSmoothingLoss", _loss, eps=0.1),
    _model_case("LabelSmoothingLoss without smoothing", _loss, eps=0.0),
    _model_case("EncoderLayer, post-norm", _encoder_layer),
    _model_case("EncoderLayer, pre-norm", _encoder_layer, norm="pre"),
    _model_case("DecoderLayer, post-norm", _decoder_layer),
    _model_case("DecoderLayer, pre-norm", _decoder_layer, norm="pre"),
    _model_case("EncoderLayer, checkpointed", _checkpointed),
    _model_case("Transformer as in the paper", _transformer),
    _model_case(
        "Transformer with gradient checkpointing", _transformer, gradient_checkpointing=True
    ),
    _model_case("Transformer, pre-norm, a source of padding", _transformer, norm="pre", shortest=0),
    _model_case("Transformer without a loss", _logits),
    _model_case("Transformer, flash attention", _transformer, attention="flash"),
    _model_case("Transformer, local self-attention", _transformer, neighbors=3),
    _model_case(
        "Transformer, pre-norm, learned positions",
        _transformer,
        **PRE_LEARNED,
        tie_embeddings="target",
    ),
    _model_case("Transformer, init per head", _transformer, init="per_head"),
    _model_case(
        "Transformer, one target table", _transformer, tie_embeddings="target", init="glorot_normal"
    ),
    _model_case(
        "Transformer, untied, no biases, no dropout",
        _transformer,
        src_vocab_size=SRC_VOCAB,
        **PLAIN,
    ),
    _model_case(
        "Transformer as Marian's", _transformer, start_id=PAD_ID, generator_bias=True, **MARIAN
    ),
    _model_case(
        "Transformer, embedding and final norms", _transformer, tie_embeddings="target", **NORMS
    ),
    _model_case("Transformer, pre-norm, embedding norm alone", _transformer, **EMBEDDING_NORM),
    _model_case("LanguageModel", _language_model),
    _model_case(
        "LanguageModel, pre-norm, untied", _language_model, norm="pre", tie_embeddings="none"
    ),
    _model_case(
        "LanguageModel, generator bias",
        _language_model,
        tie_embeddings="none",
        generator_bias=True,
        embedding_norm=True,
    ),
    _model_case("LanguageModel as GPT-2", _language_model, **GPT2),
    _model_case("LanguageModel as Llama", _language_model, **LLAMA),
    _model_case(
        "LanguageModel as Llama, flash, checkpointed",
        _language_model,
        **LLAMA,
        attention="flash",
        embedding_norm=True,
        gradient_checkpointing=True,
    ),
    _model_case("Classifier, mean pooling", _classifier),
    _model_case("Classifier, max pooling", _classifier, pooling="max"),
    _model_case("Classifier, LSTM encoder", _classifier, encoder="lstm"),
    _model_case(
        "Classifier, convolutional encoder", _classifier, encoder="convolution", norm="pre"
    ),
    _model_case(
        "Classifier, pre-norm, first-token pooling", _classifier, norm="pre", pooling="first"
    ),
)
CASES = LAYER_CASES + MODEL_CASES
