"""A model whose layers are given no padding says of every token what one says that computes padding too."""

import numpy as np
import pytest

from npformer.layers import GELU, Dropout, LayerNorm, Linear, ReLU
from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)

SRC = np.array([[4, 5, 3, 0, 0], [6, 7, 8, 9, 3], [5, 3, 0, 0, 0]])
TGT = np.array([[2, 5, 9, 4], [2, 0, 0, 0], [2, 8, 8, 0]])
SIZES = {"d_model": 8, "d_ff": 12, "n_heads": 2, "dropout": 0.0, "max_len": 9, "dtype": "float64"}
SETTINGS = (
    {},
    {"norm": "pre", "positions": "learned"},
    {"recompute": True, "embedding_norm": True},
    {"neighbours": 1, "d_word_vec": 4},
    {"attention": "blockwise"},
)


def transformer(**settings):
    vocabularies = {"src_vocab_size": 10, "tgt_vocab_size": 10}
    return Transformer(
        TransformerConfig(**{**SIZES, **vocabularies, "n_encoder_layers": 2, "n_decoder_layers": 2, **settings}), rng=0
    )


def compare(make, inputs, shown):
    """Compare the logits of what is shown, and the gradients of all parameters."""
    packed, padded = make(), make()
    logits, expected = packed.forward(*inputs, packed=True), padded.forward(*inputs)
    np.testing.assert_allclose(logits, expected[shown], rtol=1e-12, atol=1e-13)
    dlogits = np.random.default_rng(1).normal(size=logits.shape)
    dpadded = np.zeros_like(expected)
    dpadded[shown] = dlogits
    packed.backward(dlogits)
    padded.backward(dpadded)
    for (name, p), (_, wanted) in zip(packed.named_parameters(), padded.named_parameters(), strict=True):
        np.testing.assert_allclose(p.grad, wanted.grad, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_transformer(settings):
    compare(lambda: transformer(**settings), (SRC, TGT), TGT != 0)


def test_a_target_that_begins_with_padding_as_marians_do():
    tgt = np.where(TGT == 2, 0, TGT)
    compare(lambda: transformer(start_id=0), (SRC, tgt), TGT != 0)


def test_a_source_of_nothing_but_padding():
    compare(transformer, (np.where(SRC == 5, 0, SRC) * [[1], [1], [0]], TGT), TGT != 0)


def test_language_model():
    config = LanguageModelConfig(**SIZES, vocab_size=10, n_decoder_layers=2)
    compare(lambda: LanguageModel(config, rng=0), (TGT,), TGT != 0)


@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
@pytest.mark.parametrize("reader", ["attention", "lstm", "convolution"])
def test_classifier(reader, pooling):
    config = ClassifierConfig(**SIZES, vocab_size=10, n_classes=3, n_encoder_layers=2, reader=reader, pooling=pooling)
    ids = np.vstack([SRC, [[0, 4, 5, 0, 3]], np.zeros_like(SRC[:1])])  # of which two begin with padding
    compare(lambda: Classifier(config, rng=0), (ids,), np.s_[:])


@pytest.mark.parametrize("kind", [Linear, LayerNorm, Dropout, ReLU, GELU])
@pytest.mark.parametrize("d_word_vec", [None, 4])
def test_no_layer_between_attentions_is_given_padding(monkeypatch, kind, d_word_vec):
    """The source has 10 tokens, the target 8."""
    rows, forward = set(), kind.forward

    def watched(self, x):
        rows.add(x.shape[:-1])
        return forward(self, x)

    model = transformer(activation="gelu" if kind is GELU else "relu", dropout=0.5, d_word_vec=d_word_vec)
    monkeypatch.setattr(kind, "forward", watched)
    model.forward(SRC, TGT, packed=True)
    of_weights = {shape for shape in rows if len(shape) == 3}  # dropout on the weights of attention
    assert rows - of_weights == {(10,), (8,)} and (kind is Dropout) == bool(of_weights)


def test_a_classifiers_readers_are_given_no_padding(monkeypatch):
    rows, forward = set(), Linear.forward
    config = ClassifierConfig(**SIZES, vocab_size=10, n_classes=3, n_encoder_layers=2)
    model = Classifier(config, rng=0)
    monkeypatch.setattr(Linear, "forward", lambda self, x: rows.add(x.shape[:-1]) or forward(self, x))
    model.forward(SRC, packed=True)
    assert rows == {(10,), (3,)}
