"""The pairs reach every number of both sides, each in its place."""

import numpy as np
import pytest

import npformer as npf
from npformer.layers import Linear, MultiHeadAttention

from . import weights
from .parity import D_FF, D_MODEL, HEADS, VOCAB, disturb
from .torch_transformer import TorchTransformer
from .weights import copy_weights, torch


def test_linear_is_transposed(rng):
    ours, theirs = Linear(2, 3, rng=rng, dtype="float64"), torch.nn.Linear(2, 3, dtype=torch.float64)
    disturb(ours.parameters(), rng)
    copy_weights(weights.linear(ours, theirs))
    assert theirs.weight[2, 1].item() == ours.weight.data[1, 2]
    assert theirs.bias.tolist() == ours.bias.data.tolist()


def test_attention_stacks_query_key_value(rng):
    ours = MultiHeadAttention(D_MODEL, HEADS, rng=rng, dtype="float64")
    theirs = torch.nn.MultiheadAttention(D_MODEL, HEADS, dtype=torch.float64)
    disturb(ours.parameters(), rng)
    copy_weights(weights.attention(ours, theirs))
    projections = ours.w_query, ours.w_key, ours.w_value
    stacked = np.concatenate([projection.weight.data.T for projection in projections])
    assert np.array_equal(theirs.in_proj_weight.detach(), stacked)
    assert np.array_equal(theirs.in_proj_bias.detach(), np.concatenate([p.bias.data for p in projections]))


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("tie", ["all", "target", "none"])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
@pytest.mark.parametrize("more", [{}, {"generator_bias": True, "embedding_norm": True, "final_norm": True}], ids=str)
def test_every_number_has_its_pair(rng, norm, tie, positions, more):
    config = npf.TransformerConfig(
        **{"src_vocab_size": VOCAB, "tgt_vocab_size": VOCAB, "d_model": D_MODEL, "d_ff": D_FF, "n_heads": HEADS},
        **{"n_encoder_layers": 2, "n_decoder_layers": 3, "max_len": 8, "dtype": "float64"},
        **{"norm": norm, "tie": tie, "positions": positions, **more},
    )
    ours, theirs = npf.Transformer(config, rng=rng), TorchTransformer(config)
    for parameter in theirs.parameters():
        parameter.data.fill_(torch.nan)
    pairs = copy_weights(weights.transformer(ours, theirs))
    assert sorted(id(pair.ours) for pair in pairs) == sorted(map(id, ours.parameters()))
    assert sum(p.data.size for p in ours.parameters()) == sum(p.numel() for p in theirs.parameters())
    assert all(parameter.isfinite().all() for parameter in theirs.parameters())
    for pair in pairs:
        assert np.array_equal(pair.view(pair.theirs.detach()), pair.ours.data)
