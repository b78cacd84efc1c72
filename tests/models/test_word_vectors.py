"""Embeddings narrower or wider than d_model: a map into it, and out of it again where the generator has their table."""

import math

import numpy as np
import pytest

from npformer.decoding import CachedDecoder
from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)

V, D = 11, 6
SIZES = {"d_model": D, "d_ff": 9, "n_heads": 2, "max_len": 12, "dropout": 0.0, "dtype": "float64"}
INTO, OUT = "tokens.into_d_model.weight", "generator.out_of_d_model.weight"
SRC, TGT = np.random.default_rng(1).integers(1, V, (2, 3, 5))
each_width = pytest.mark.parametrize("width", [4, 9])


def transformer(**settings):
    layers = {"n_encoder_layers": 1, "n_decoder_layers": 1, "src_vocab_size": V, "tgt_vocab_size": V}
    return Transformer(TransformerConfig(**SIZES, **layers, **settings), rng=0)


def language_model(**settings):
    return LanguageModel(LanguageModelConfig(**SIZES, vocab_size=V, n_decoder_layers=1, **settings), rng=0)


def classifier(**settings):
    return Classifier(ClassifierConfig(**SIZES, vocab_size=V, n_classes=3, n_encoder_layers=1, **settings), rng=0)


def shapes(model):
    return {name: parameter.data.shape for name, parameter in model.named_parameters()}


def new(model, plain):
    """The parameters that a model has and another has not, or has in another shape."""
    return {name: shape for name, shape in shapes(model).items() if shapes(plain).get(name) != shape}


@each_width
@pytest.mark.parametrize("tie", ["all", "target", "none"])
def test_additional_parameters_of_transformer(width, tie):
    ends = {f"encoder.{INTO}": (width, D), f"decoder.{INTO}": (width, D), "encoder.tokens.embedding.table": (V, width)}
    if tie != "all":
        ends["decoder.tokens.embedding.table"] = (V, width)
    if tie != "none":
        ends[OUT] = (D, width)
    model = transformer(tie=tie, d_word_vec=width)
    assert new(model, transformer(tie=tie)) == ends
    if tie == "none":
        assert shapes(model)["generator.table"] == (V, D)


@each_width
@pytest.mark.parametrize("tie", ["all", "none"])
def test_additional_parameters_of_language_model(width, tie):
    ends = {f"decoder.{INTO}": (width, D), "decoder.tokens.embedding.table": (V, width)}
    assert new(language_model(tie=tie, d_word_vec=width), language_model(tie=tie)) == ends | (
        {OUT: (D, width)} if tie == "all" else {}
    )


@each_width
def test_additional_parameters_of_classifier(width):
    ends = {f"encoder.{INTO}": (width, D), "encoder.tokens.embedding.table": (V, width)}
    assert new(classifier(d_word_vec=width), classifier()) == ends


@each_width
def test_projections_into_and_out_of_d_model(width):
    model = language_model(d_word_vec=width)
    tokens, positions = model.decoder.tokens, model.decoder.tokens.positions.table
    table = tokens.embedding.table.data
    into = table[TGT] * math.sqrt(D) @ tokens.into_d_model.weight.data  # before the positions are added
    np.testing.assert_allclose(tokens.forward(TGT, start=2), into + positions[2:7], rtol=1e-12)
    x = np.random.default_rng(2).normal(size=(3, 5, D))
    expected = x @ model.generator.out_of_d_model.weight.data @ table.T
    np.testing.assert_allclose(model.generator.forward(x), expected, rtol=1e-12, atol=1e-12)


@each_width
@pytest.mark.parametrize("tie", ["all", "none"])
def test_cached_language_model_equals_uncached(width, tie):
    model = language_model(d_word_vec=width, tie=tie).eval()
    decoder, logits = CachedDecoder(model), model.forward(TGT)
    np.testing.assert_allclose(decoder.read(TGT[:, :2]), logits[:, 1:2], rtol=1e-10)
    for step in (2, 3, 4):
        np.testing.assert_allclose(decoder.step(TGT[:, step : step + 1]), logits[:, step : step + 1], rtol=1e-10)


@pytest.mark.parametrize("tie", ["all", "target", "none"])
def test_float32_model_stays_float32(tie):
    sizes = {**SIZES, "dtype": "float32", "n_encoder_layers": 1, "n_decoder_layers": 1, "d_word_vec": 4}
    model = Transformer(TransformerConfig(**sizes, src_vocab_size=V, tgt_vocab_size=V, tie=tie), rng=0)
    logits = model.forward(SRC, TGT)
    model.backward(logits)
    assert {logits.dtype.name, *(p.grad.dtype.name for p in model.parameters())} == {"float32"}
    assert all(p.grad.any() for name, p in model.named_parameters() if not name.endswith("w_key.bias"))


def test_variance_of_narrow_embeddings_and_logits():
    """What meets the positions has variance 2 d_model / (d_word_vec + d_model), and the logits are of order 1."""
    config = LanguageModelConfig(vocab_size=3000, d_model=256, d_word_vec=64, n_decoder_layers=1, max_len=3000)
    model = LanguageModel(config, rng=0)
    tokens, ids = model.decoder.tokens.eval(), np.arange(3000)[None]
    words = tokens.forward(ids) - tokens.positions.table
    assert words.var() == pytest.approx(2 * 256 / (64 + 256), rel=0.1)
    normalized = np.random.default_rng(1).normal(size=(100, 256)).astype("float32")
    assert model.generator.forward(normalized).var() == pytest.approx(2 * 256 / (64 + 256), rel=0.15)
