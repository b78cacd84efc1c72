"""Figure 1 against nn.TransformerEncoderLayer, nn.TransformerDecoderLayer and nn.Transformer."""

import numpy as np
import pytest

import npformer as npf
from npformer.layers import causal_mask
from npformer.models import DecoderLayer, EncoderLayer

from . import torch_transformer, weights
from .parity import (
    BATCH,
    D_FF,
    D_MODEL,
    HEADS,
    SOURCE,
    TARGET,
    VOCAB,
    compare,
    padded_ids,
    real_positions,
)
from .weights import torch

norms = pytest.mark.parametrize("norm", ["post", "pre"])


def configure(**settings):
    sizes = dict(
        src_vocab_size=VOCAB, tgt_vocab_size=VOCAB, d_model=D_MODEL, d_ff=D_FF, n_heads=HEADS
    )
    rest = dict(n_encoder_layers=2, n_decoder_layers=2, max_len=8, dropout=0.0, dtype="float64")
    rest["layer_norm_eps"] = 1e-3  # not the default: it must reach every norm
    return npf.TransformerConfig(**{**sizes, **rest, **settings})


@norms
def test_encoder_layer(agree, rng, norm):
    config = configure(norm=norm)
    ours, theirs = EncoderLayer(config, rng=rng), torch_transformer.encoder_layer(config)
    real = real_positions(rng, SOURCE)

    def run_theirs(x):
        return theirs(x, src_key_padding_mask=torch.tensor(~real))

    x = rng.normal(size=(BATCH, SOURCE, D_MODEL))
    compare(
        agree, rng, ours, run_theirs, weights.encoder_layer(ours, theirs), [x], [real[:, None, :]]
    )


@norms
def test_decoder_layer(agree, rng, norm):
    config = configure(norm=norm)
    ours, theirs = DecoderLayer(config, rng=rng), torch_transformer.decoder_layer(config)
    real_targets, real_sources = real_positions(rng, TARGET), real_positions(rng, SOURCE)

    def run_theirs(x, memory):
        return theirs(
            x,
            memory,
            tgt_mask=torch.ones(TARGET, TARGET, dtype=bool).triu(1),
            tgt_key_padding_mask=torch.tensor(~real_targets),
            memory_key_padding_mask=torch.tensor(~real_sources),
        )

    inputs = [rng.normal(size=(BATCH, length, D_MODEL)) for length in (TARGET, SOURCE)]
    masks = [real_targets[:, None, :] & causal_mask(TARGET), real_sources[:, None, :]]
    compare(agree, rng, ours, run_theirs, weights.decoder_layer(ours, theirs), inputs, masks)


@norms
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize(
    ("tie_embeddings", "src_vocab_size"), [("all", VOCAB), ("target", 13), ("none", 13)]
)
def test_transformer(agree, rng, norm, positions, tie_embeddings, src_vocab_size):
    config = configure(
        norm=norm,
        positions=positions,
        tie_embeddings=tie_embeddings,
        src_vocab_size=src_vocab_size,
        pad_id=3,
    )
    ours, theirs = npf.Transformer(config, rng=rng), torch_transformer.TorchTransformer(config)
    src = padded_ids(rng, SOURCE, src_vocab_size, config.pad_id)
    tgt = padded_ids(rng, TARGET, VOCAB, config.pad_id)
    assert np.intersect1d(src, tgt).size > 3  # the shared rows hear from both columns
    compare(agree, rng, ours, theirs, weights.transformer(ours, theirs), [src, tgt])


OF_OTHERS = [
    {"activation": "gelu", "final_norm": True},
    dict(activation="silu", positions="sinusoidal_concatenated", generator_bias=True, start_id=3),
    dict(embedding_norm=True, tie_embeddings="none", generator_bias=True, positions="learned"),
    {"embedding_norm": True, "norm": "pre", "final_norm": False},
]


@pytest.mark.parametrize("settings", OF_OTHERS, ids=str)
def test_transformer_with_other_conventions(agree, rng, settings):
    """A target that begins with padding, id 3, sees it."""
    config = configure(pad_id=3, **settings)
    ours, theirs = npf.Transformer(config, rng=rng), torch_transformer.TorchTransformer(config)
    src, tgt = (padded_ids(rng, length, VOCAB, config.pad_id) for length in (SOURCE, TARGET))
    tgt[:, 0] = config.start_id
    compare(agree, rng, ours, theirs, weights.transformer(ours, theirs), [src, tgt])
