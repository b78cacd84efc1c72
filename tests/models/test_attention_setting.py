"""The setting `attention`: which layers a model is built of, and that it computes the same with
either.
"""

import numpy as np
import pytest

from npformer import InputError, Transformer, TransformerConfig
from npformer.decoding import CachedDecoder
from npformer.layers import FlashAttention, ScaledDotProductAttention
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.models.config import FLASH_FROM

SIZES = {"d_model": 8, "d_ff": 12, "n_heads": 2, "dropout": 0.0, "dtype": "float64"}
SRC = np.array([[4, 5, 6, 7, 8, 9, 4, 5, 6], [9, 8, 7, 6, 0, 0, 0, 0, 0]])
TGT = np.array([[2, 8, 9, 4, 4, 5, 6], [2, 8, 5, 0, 0, 0, 0]])
BLOCK = 2  # so that even these sentences are several blocks


def transformer(**settings):
    sizes = dict(src_vocab_size=11, tgt_vocab_size=11, n_encoder_layers=2, n_decoder_layers=2)
    return use_small_blocks(Transformer(TransformerConfig(**{**SIZES, **sizes, **settings}), rng=0))


def language_model(**settings):
    config = LanguageModelConfig(**{**SIZES, "vocab_size": 11, "n_decoder_layers": 2, **settings})
    return use_small_blocks(LanguageModel(config, rng=0))


def use_small_blocks(model):
    for attention in attentions(model):
        if isinstance(attention, FlashAttention):
            attention.block_size = BLOCK
    return model


def attentions(model):
    found = (module for _, module in model.named_modules())
    return [module for module in found if isinstance(module, ScaledDotProductAttention)]


def gradients(model):
    return [p.grad.copy() for p in model.parameters()]


@pytest.mark.parametrize("settings", [{}, {"norm": "pre"}, {"neighbors": 3}], ids=str)
def test_transformer_with_flash_equals_plain_attention(settings):
    plain, by_blocks = (transformer(**settings, attention=kind) for kind in ("plain", "flash"))
    expected, logits = (model.forward(SRC, TGT) for model in (plain, by_blocks))
    np.testing.assert_allclose(logits, expected, rtol=0, atol=1e-12)
    for model in (plain, by_blocks):
        model.backward(expected)
    for one, other in zip(gradients(by_blocks), gradients(plain), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11)


def test_language_model_with_flash_equals_plain_and_cached():
    plain, by_blocks = (language_model(attention=kind) for kind in ("plain", "flash"))
    expected = plain.forward(TGT[:1])
    np.testing.assert_allclose(by_blocks.forward(TGT[:1]), expected, rtol=0, atol=1e-12)
    cached = CachedDecoder(by_blocks)
    steps = [cached.read(TGT[:1, :4]), cached.read(TGT[:1, 4:6]), cached.step(TGT[:1, 6:])]
    np.testing.assert_allclose(np.concatenate(steps, 1), expected[:, [3, 5, 6]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("causal_mask_too", [False, True])
def test_decoder_is_causal_for_any_mask(causal_mask_too):
    model = language_model()
    mask = np.tri(7, dtype=bool) if causal_mask_too else None
    before = model.decoder.forward(TGT, mask)
    changed = TGT.copy()
    changed[:, 4] = 10
    moved = np.abs(model.decoder.forward(changed, mask) - before).max((0, 2)) > 0
    assert np.flatnonzero(moved).tolist() == [4, 5, 6]


def kinds(model):
    return sorted({type(attention).__name__ for attention in attentions(model)})


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, ["ScaledDotProductAttention"]),
        ({"max_len": FLASH_FROM - 1}, ["ScaledDotProductAttention"]),
        ({"max_len": FLASH_FROM}, ["FlashAttention"]),
        ({"max_len": FLASH_FROM, "attention": "plain"}, ["ScaledDotProductAttention"]),
        ({"attention": "flash"}, ["FlashAttention"]),
        ({"attention": "flash", "neighbors": 2}, ["FlashAttention", "LocalAttention"]),
    ],
    ids=str,
)
def test_attention_layers_have_the_requested_classes(settings, expected):
    assert kinds(transformer(**settings)) == expected
    of_one_column = ["LocalAttention"] if "neighbors" in settings else expected
    assert kinds(language_model(**settings)) == of_one_column
    sizes = {**SIZES, "vocab_size": 11, "n_classes": 3, "n_encoder_layers": 2, **settings}
    assert kinds(Classifier(ClassifierConfig(**sizes))) == of_one_column


def test_unknown_attention_setting_is_rejected():
    with pytest.raises(InputError, match="attention = 'tiles': expected one of auto, plain, flash"):
        transformer(attention="tiles")


@pytest.mark.parametrize("attention", ["plain", "flash"])
@pytest.mark.parametrize("neighbors", [None, 3])
def test_every_attention_drops_out_its_weights(attention, neighbors):
    settings = {"attention": attention, "neighbors": neighbors, "attention_dropout": 0.25}
    for model, n in ((transformer(**settings), 6), (language_model(**settings), 2)):
        assert [layer.dropout.p for layer in attentions(model)] == [0.25] * n
