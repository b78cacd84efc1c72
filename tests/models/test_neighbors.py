"""Models whose self-attention is restricted: what they compute, who reaches whom, and that no
mask is (T, T).
"""

import numpy as np
import pytest

from npformer import Transformer, TransformerConfig
from npformer.layers import LocalAttention, ScaledDotProductAttention, padding_mask
from npformer.models import LanguageModel, LanguageModelConfig

SIZES = dict(d_model=8, d_ff=12, n_heads=2, dropout=0.0, dtype="float64", n_decoder_layers=2)
SRC = np.array([[4, 5, 6, 7, 8, 9, 4, 5, 6], [9, 8, 7, 6, 0, 0, 0, 0, 0]])
TGT = np.array([[2, 8, 9, 4, 4, 5, 6], [2, 8, 5, 0, 0, 0, 0]])


def transformer(**settings):
    config = {
        **SIZES,
        "n_encoder_layers": 2,
        "src_vocab_size": 11,
        "tgt_vocab_size": 11,
        **settings,
    }
    return Transformer(TransformerConfig(**config), rng=0)


def language_model(**settings):
    return LanguageModel(LanguageModelConfig(**{**SIZES, "vocab_size": 11, **settings}), rng=0)


def band(length, before, after):
    gap = np.arange(length) - np.arange(length)[:, None]
    return (-before <= gap) & (gap <= after)


def gradients(model):
    return [p.grad.copy() for p in model.parameters()]


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_restricted_transformer_equals_banded_masks(norm):
    restricted, full = transformer(neighbors=3, norm=norm), transformer(norm=norm)
    logits = restricted.forward(SRC, TGT)
    restricted.backward(logits)

    memory_mask, tgt_mask = padding_mask(SRC, 0), padding_mask(TGT, 0)
    memory = full.encoder.forward(SRC, memory_mask & band(9, 2, 1))
    y = full.decoder.forward(TGT, memory, tgt_mask & band(7, 3, 0), memory_mask)
    np.testing.assert_allclose(logits, full.generator.forward(y), rtol=0, atol=1e-12)
    full.backward(logits)
    for one, other in zip(gradients(restricted), gradients(full), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)


def test_restricted_language_model_equals_banded_mask():
    restricted, full = language_model(neighbors=2), language_model()
    logits = restricted.forward(TGT)
    y = full.decoder.forward(TGT, padding_mask(TGT, 0) & band(7, 2, 0))
    np.testing.assert_allclose(logits, full.generator.forward(y), rtol=0, atol=1e-12)


def test_each_layer_extends_reach_by_r_positions():
    model = language_model(neighbors=2)
    ids = np.full((1, 12), 4)
    ids[0] = np.arange(12) % 9 + 1
    logits, changed = model.forward(ids), ids.copy()
    changed[0, 3] = 10
    moved = np.abs(model.forward(changed) - logits).max((0, 2)) > 1e-9
    assert np.flatnonzero(moved).tolist() == [3, 4, 5, 6, 7]  # 2 layers, 2 positions each


@pytest.mark.parametrize("neighbors", [None, 3])
def test_attention_layers_have_the_requested_classes(neighbors):
    model = transformer(neighbors=neighbors)
    kind = ScaledDotProductAttention if neighbors is None else LocalAttention
    for layer in model.encoder.layers:
        assert type(layer.self_attention.sublayer.attention) is kind
    for layer in model.decoder.layers:
        assert type(layer.self_attention.sublayer.attention) is kind
        assert type(layer.cross_attention.sublayer.attention) is ScaledDotProductAttention
    if neighbors:
        sides = [
            layer.self_attention.sublayer.attention
            for layer in (model.encoder.layers[0], model.decoder.layers[0])
        ]
        assert [(side.before, side.after) for side in sides] == [(2, 1), (3, 0)]
