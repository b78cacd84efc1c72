"""Bugs between the layers: residuals, columns, masks, and where gradients meet."""

from functools import partial

import test_reference as reference
import test_whole_model as whole

from npformer.layers import AddNorm
from npformer.models import Decoder, DecoderLayer, Encoder, Transformer, transformer
from npformer.models.embedded_tokens import EmbeddedTokens

from .plant import bug, gradients

POST, PRE = whole.SETTINGS[:2]
PAPER = gradients("Transformer as in the paper", 1)
PRE_NORM = gradients("Transformer, pre-norm, learned positions", 1)
DX = "dtotal + (self.norm.backward(dinner) if self.pre else dinner)"

WIRING = [
    bug(
        "AddNorm.backward: residual branch forgotten",
        gradients("AddNorm, post-norm"),
        (AddNorm, "backward", "dx = dtotal + (", "dx = ("),
    ),
    bug(
        "AddNorm.backward, pre-norm: residual branch forgotten",
        gradients("AddNorm, pre-norm"),
        (AddNorm, "backward", "dx = dtotal + (", "dx = (dtotal * (not self.pre)) + ("),
    ),
    bug(
        "AddNorm: no residual in either direction",
        partial(reference.test_add_norm_and_feed_forward, "post"),
        (AddNorm, "forward", "total = x + ", "total = "),
        (AddNorm, "backward", "dx = dtotal + (", "dx = ("),
    ),
    bug(
        "AddNorm, pre-norm: the residual passes through the norm",
        gradients("AddNorm, pre-norm"),
        (AddNorm, "forward", "total = x + ", "total = inner + "),
    ),
    bug(
        "AddNorm, pre-norm: the residual passes through the norm in both directions",
        partial(reference.test_add_norm_and_feed_forward, "pre"),
        (AddNorm, "forward", "total = x + ", "total = inner + "),
        (AddNorm, "backward", DX, "self.norm.backward(dtotal + dinner) if self.pre else dtotal + dinner"),
    ),
    bug(
        "AddNorm.backward: dropout forgotten",
        gradients("AddNorm, post-norm"),
        (AddNorm, "backward", "self.dropout.backward(dtotal)", "dtotal"),
    ),
    bug(
        "AddNorm: one Dropout object for two sub-layers",
        gradients("DecoderLayer, post-norm", 1),
        (
            DecoderLayer,
            "__init__",
            "= feed_forward(config, rng)",
            "= feed_forward(config, rng)\n    self.feed_forward.dropout = self.cross_attention.dropout",
        ),
    ),
    bug(
        "Decoder.backward: the memory's gradient overwritten, not summed",
        PAPER,
        (Decoder, "backward", "dmemory + dmemory_from_layer", "dmemory_from_layer"),
    ),
    bug("Decoder.backward: layers not reversed", PAPER, (Decoder, "backward", "reversed(self.layers)", "self.layers")),
    bug(
        "Decoder.backward, pre-norm: the last norm forgotten",
        PRE_NORM,
        (Decoder, "backward", "self.norm.backward(dy) if self.norm else dy", "dy"),
    ),
    bug(
        "Encoder: layers in a tuple, where parameters() does not look",
        whole.test_the_number_of_parameters_is_the_papers,
        (
            Encoder,
            "__init__",
            "[EncoderLayer(config, rng=rng) for _ in range(config.n_encoder_layers)]",
            "(EncoderLayer(config, rng=rng),)",
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
        (EmbeddedTokens, "backward", "self.dropout.backward(dx)", "dx"),
    ),
    bug(
        "embedded tokens: the gradient goes round the learned positions",
        PRE_NORM,
        (EmbeddedTokens, "backward", "self.positions.backward(self.dropout.backward(dx))", "self.dropout.backward(dx)"),
    ),
    bug(
        "causal mask: one token of the future visible",
        partial(whole.test_causality, POST),
        (transformer, "causal_mask", "(length, length), dtype=bool)", "(length, length), dtype=bool), 1"),
    ),
    bug("causal mask: upside down", partial(whole.test_causality, PRE), (transformer, "causal_mask", "tril", "triu")),
    bug(
        "causal mask forgotten",
        partial(whole.test_causality, POST),
        (Transformer, "decode", " & causal_mask(tgt.shape[1])", ""),
    ),
    bug(
        "padding of the source visible to the decoder",
        partial(whole.test_more_padding_changes_nothing, POST),
        (Transformer, "decode", "memory_mask = padding_mask(src, self.config.pad_id)", "memory_mask = None"),
    ),
    bug(
        "padding of the source visible to the encoder",
        partial(whole.test_what_stands_at_padded_positions_changes_nothing, PRE),
        (Transformer, "encode", ", padding_mask(src, self.config.pad_id)", ""),
    ),
    bug(
        "decoder layer: the memory's mask on self-attention, and the other way round",
        partial(whole.test_causality, POST),
        (DecoderLayer, "forward", "self_attention.forward(x, mask)", "self_attention.forward(x, memory_mask)"),
        (DecoderLayer, "forward", "(x, memory, memory_mask)", "(x, memory, mask)"),
    ),
    bug(
        "decoder layer: cross-attention reads the target",
        partial(whole.test_every_source_token_reaches_every_logit, POST),
        (DecoderLayer, "forward", "(x, memory, memory_mask)", "(x, x, memory_mask)"),
    ),
]
