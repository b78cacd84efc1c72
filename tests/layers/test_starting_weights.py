"""How large the weights are at the start, which decides how fast post-norm learns."""

import math

import numpy as np
import pytest

from npformer import Transformer, TransformerConfig
from npformer.layers import (
    FeedForward,
    LearnedPositionalEncoding,
    Linear,
    MultiHeadAttention,
    SelfAttention,
)

D, F = 256, 384
# the variance of Glorot and Bengio's uniform weights is 2 / (d_in + d_out)
GLOROT_SQUARE = 2 / (D + D)


def close(weights, variance, tolerance=0.05):
    assert abs(weights.mean()) < 0.05 * math.sqrt(variance)
    assert weights.var() == pytest.approx(variance, rel=tolerance)


@pytest.mark.parametrize("gain", [1.0, 0.5])
def test_linear_weights_have_glorot_variance_times_gain(gain):
    weights = Linear(D, F, gain=gain, rng=0).weight.data
    close(weights, gain**2 * 2 / (D + F))
    # uniform
    assert np.abs(weights).max() == pytest.approx(gain * math.sqrt(6 / (D + F)), rel=1e-3)


def test_sizes_may_be_narrow_integers():
    narrow = np.int8(100)
    weights = Linear(narrow, narrow, rng=0).weight.data
    np.testing.assert_array_equal(weights, Linear(100, 100, rng=0).weight.data)


def test_initial_qkv_variance_is_half_of_output_projection():
    attention = MultiHeadAttention(D, 8, rng=0)
    for linear in (attention.w_query, attention.w_key, attention.w_value):
        close(linear.weight.data, GLOROT_SQUARE / 2)
    close(attention.w_output.weight.data, GLOROT_SQUARE)


@pytest.mark.parametrize(("sizes", "d_k", "d_v"), [({"d_k": 5}, 5, 4), ({"d_v": 5}, 4, 5)])
@pytest.mark.parametrize("kind", [MultiHeadAttention, SelfAttention])
def test_size_of_heads_that_is_left_out_is_d_model_over_n_heads(kind, sizes, d_k, d_v):
    attention = kind(12, 3, **sizes, rng=0)
    assert attention.w_query.weight.data.shape == (12, 3 * d_k)
    assert attention.w_key.weight.data.shape == (12, 3 * d_k)
    assert attention.w_value.weight.data.shape == (12, 3 * d_v)


def test_feed_forward_is_initialized_with_gain_one():
    layer = FeedForward(D, F, rng=0)
    close(layer.linear_1.weight.data, 2 / (D + F))
    close(layer.linear_2.weight.data, 2 / (D + F))


def test_initial_embedding_variances():
    config = TransformerConfig.tiny(
        src_vocab_size=900, tgt_vocab_size=900, tie_embeddings="none", dropout=0.0
    )
    model = Transformer(config, rng=0)
    for table in (
        model.encoder.input_embedding.embedding,
        model.decoder.input_embedding.embedding,
        model.generator,
    ):
        close(table.table.data, 1 / 64)
    close(model.encoder.input_embedding.embedding.forward(np.arange(900)), 1.0)
    close(LearnedPositionalEncoding(D, max_len=512, rng=0).table.data, 1 / D)


def test_initial_biases_are_zero_and_gains_are_one():
    model = Transformer(
        TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9, norm="pre"), rng=0
    )
    for name, p in model.named_parameters():
        if p.data.ndim == 1:
            assert (p.data == name.endswith("gain")).all(), name
