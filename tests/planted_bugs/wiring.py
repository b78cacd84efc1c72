"""Bugs between the layers: residuals, columns, masks, and where gradients meet."""

from functools import partial

import test_add_norm as add_norm
import test_kv_cache as cached
import test_reference as reference
import test_whole_model as whole

from npformer.layers import PostNorm, PreNorm, ScaledDotProductAttention, masks
from npformer.layers.add_norm import AddNorm
from npformer.models import Decoder, DecoderLayer, Encoder, Transformer
from npformer.models.embeddings import InputEmbedding

from .plant import bug, gradients

POST, PRE = whole.SETTINGS[:2]
PAPER = gradients("Transformer as in the paper", 1)
EVERY_STEP = partial(cached.test_cached_step_equals_whole_prefix, dtype="float64", src=cached.SRC)
PRE_NORM = gradients("Transformer, pre-norm, learned positions", 1)

WIRING = [
    bug(
        "PostNorm.backward: residual branch forgotten",
        gradients("PostNorm"),
        (PostNorm, "backward", "dx = dtotal + dinput", "dx = dinput"),
    ),
    bug(
        "PreNorm.backward: residual branch forgotten",
        gradients("PreNorm"),
        (PreNorm, "backward", "dx = dy + ", "dx = "),
    ),
    bug(
        "PostNorm: no residual in either direction",
        partial(reference.test_add_norm_and_feed_forward, "post"),
        (PostNorm, "forward", "x + self.dropout", "self.dropout"),
        (PostNorm, "backward", "dx = dtotal + dinput", "dx = dinput"),
    ),
    bug(
        "PreNorm: the residual passes through the norm",
        gradients("PreNorm"),
        (PreNorm, "forward", "return x + ", "return self.norm.forward(x) + "),
    ),
    bug(
        "PreNorm: the residual passes through the norm in both directions",
        partial(reference.test_add_norm_and_feed_forward, "pre"),
        (
            PreNorm,
            "forward",
            "y = self.sublayer",
            "x = self.norm.forward(x)\n    y = self.sublayer",
        ),
        (PreNorm, "forward", ".forward(self.norm.forward(x), *context)", ".forward(x, *context)"),
        (PreNorm, "backward", "dy + self.norm.backward(dinput)", "self.norm.backward(dy + dinput)"),
    ),
    bug(
        "PostNorm: the norm comes before the residual, as nobody has it, in both directions",
        partial(reference.test_add_norm_and_feed_forward, "post"),
        (
            PostNorm,
            "forward",
            "self.norm.forward(x + self.dropout.forward(y))",
            "x + self.norm.forward(y)",
        ),
        (PostNorm, "backward", "dtotal = self.norm.backward(dy)", "dtotal = dy"),
        (
            PostNorm,
            "backward",
            "= self._sublayer_backward(dtotal)",
            "= self._sublayer_backward(self.norm.backward(dy))",
        ),
        (AddNorm, "_sublayer_backward", "self.dropout.backward(dy)", "dy"),
    ),
    bug(
        "AddNorm.backward: dropout forgotten",
        gradients("PostNorm"),
        (AddNorm, "_sublayer_backward", "self.dropout.backward(dy)", "dy"),
    ),
    bug(
        "PostNorm: dropout on the sum with the residual, in both directions",
        partial(add_norm.test_dropout_applies_only_to_sublayer_output, PostNorm),
        (PostNorm, "forward", "x + self.dropout.forward(y)", "self.dropout.forward(x + y)"),
        (
            PostNorm,
            "backward",
            "dtotal = self.norm.backward(dy)",
            "dtotal = self.dropout.backward(self.norm.backward(dy))",
        ),
        (AddNorm, "_sublayer_backward", "self.dropout.backward(dy)", "dy"),
    ),
    bug(
        "PreNorm: dropout on the sum with the residual, in both directions",
        partial(add_norm.test_dropout_applies_only_to_sublayer_output, PreNorm),
        (PreNorm, "forward", "x + self.dropout.forward(y)", "self.dropout.forward(x + y)"),
        (
            PreNorm,
            "backward",
            "dinput, *dcontext",
            "dy = self.dropout.backward(dy)\n    dinput, *dcontext",
        ),
        (AddNorm, "_sublayer_backward", "self.dropout.backward(dy)", "dy"),
    ),
    bug(
        "AddNorm: one Dropout object for two sub-layers",
        gradients("DecoderLayer, post-norm", 1),
        (
            DecoderLayer,
            "__init__",
            "= make_feed_forward(config, rng)",
            "= make_feed_forward(config, rng)\n    self.feed_forward.dropout = self.cross_attention.dropout",
        ),
    ),
    bug(
        "Decoder.backward: the memory's gradient overwritten, not summed",
        PAPER,
        (Decoder, "backward", "dmemory + dmemory_of_layer", "dmemory_of_layer"),
    ),
    bug(
        "Decoder.backward: layers not reversed",
        PAPER,
        (Decoder, "backward", "reversed(self.layers)", "self.layers"),
    ),
    bug(
        "Decoder.backward, pre-norm: the last norm forgotten",
        PRE_NORM,
        (Decoder, "backward", "self.norm.backward(dy) if self.norm else dy", "dy"),
    ),
    bug(
        "Encoder: one layer, however many the config has",
        whole.test_number_of_parameters_equals_paper,
        (Encoder, "__init__", "make_layers(layer, n_layers", "make_layers(layer, 1"),
    ),
    bug(
        "Encoder: layers in a dict, where parameters() cannot look",
        whole.test_number_of_parameters_equals_paper,
        (
            Encoder,
            "__init__",
            "make_layers(layer, n_layers, config, rng)",
            "dict(enumerate(make_layers(layer, n_layers, config, rng)))",
        ),
    ),
    bug(
        "Transformer.backward: the encoder gets no gradient",
        PAPER,
        (Transformer, "backward", "self.encoder.backward(dmemory)", ""),
    ),
    bug(
        "embedded tokens: dropout on the sum forgotten in backward",
        PAPER,
        (
            InputEmbedding,
            "backward",
            "self.positions.backward(self.dropout.backward(dx))",
            "self.positions.backward(dx)",
        ),
    ),
    bug(
        "embedded tokens: the gradient goes round the learned positions",
        PRE_NORM,
        (
            InputEmbedding,
            "backward",
            "self.positions.backward(self.dropout.backward(dx))",
            "self.dropout.backward(dx)",
        ),
    ),
    bug(
        "causal mask: one token of the future visible",
        partial(whole.test_causality, POST),
        (masks, "causal_mask", "dtype=bool), before)", "dtype=bool), before + 1)"),
    ),
    bug(
        "causal mask: upside down",
        partial(whole.test_causality, PRE),
        (masks, "causal_mask", "tril", "triu"),
    ),
    bug(
        "causal mask forgotten",
        partial(whole.test_causality, POST),
        (ScaledDotProductAttention, "forward", "past if mask is None else mask & past", "mask"),
    ),
    bug(
        "padding of the source visible to the decoder",
        partial(whole.test_additional_padding_changes_no_output, POST),
        (Transformer, "decode", "self.config.start_id), memory_mask)", "self.config.start_id))"),
    ),
    bug(
        "padding of the source visible to the encoder",
        partial(whole.test_embedding_of_padding_changes_no_output, PRE),
        (Transformer, "encode", "forward(src, mask)", "forward(src)"),
    ),
    bug(
        "decoder layer: the memory's mask on self-attention, and the other way round",
        partial(reference.test_transformer, "post"),
        (
            DecoderLayer,
            "forward",
            "self_attention.forward(x, mask)",
            "self_attention.forward(x, memory_mask)",
        ),
        (DecoderLayer, "forward", "(x, memory, memory_mask)", "(x, memory, mask)"),
    ),
    bug(
        "decoder layer: cross-attention reads the target",
        partial(whole.test_every_source_token_affects_every_logit, POST),
        (DecoderLayer, "forward", "(x, memory, memory_mask)", "(x, x, memory_mask)"),
    ),
]
