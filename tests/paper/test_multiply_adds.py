"""The formula of table 2 counts what NumPy multiplies."""

import numpy as np
import pytest

from helpers.multiply_adds import forward_multiply_adds
from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from tests.paper.matmul_counter import count_multiply_adds

SIZES = {"d_model": 6, "d_ff": 10, "n_heads": 2, "max_len": 12, "dtype": "float64", "dropout": 0.0}
every_width = pytest.mark.parametrize(
    "settings", [{}, {"d_k": 5, "d_v": 2, "norm": "pre"}], ids=str
)


def count(model_class, config, *lengths):
    """Return the multiply-adds of forward and backward."""
    return count_multiply_adds(
        model_class(config, rng=0), *(np.arange(4, 4 + length)[None] for length in lengths)
    )


@every_width
@pytest.mark.parametrize("tie_embeddings", ["all", "target", "none"])
def test_multiply_adds_of_transformer(settings, tie_embeddings):
    sizes = {"src_vocab_size": 13, "tgt_vocab_size": 13 if tie_embeddings == "all" else 11}
    config = TransformerConfig(
        **{
            **SIZES,
            **sizes,
            "n_encoder_layers": 3,
            "n_decoder_layers": 2,
            **settings,
            "tie_embeddings": tie_embeddings,
        }
    )
    forward = forward_multiply_adds(config, 7, 5)
    assert count(Transformer, config, 7, 5) == [forward, 2 * forward]


@every_width
@pytest.mark.parametrize("tie_embeddings", ["all", "none"])
def test_multiply_adds_of_language_model(settings, tie_embeddings):
    config = LanguageModelConfig(
        **{
            **SIZES,
            "vocab_size": 13,
            "n_decoder_layers": 2,
            **settings,
            "tie_embeddings": tie_embeddings,
        }
    )
    forward = forward_multiply_adds(config, 5)
    assert count(LanguageModel, config, 5) == [forward, 2 * forward]


@every_width
@pytest.mark.parametrize("pooling", ["mean", "first", "max"])
def test_multiply_adds_of_classifier(settings, pooling):
    sizes = {"vocab_size": 13, "n_classes": 3, "n_encoder_layers": 2, "pooling": pooling}
    config = ClassifierConfig(**{**SIZES, **sizes, **settings})
    forward = forward_multiply_adds(config, 7)
    assert count(Classifier, config, 7) == [forward, 2 * forward]


@pytest.mark.parametrize("encoder", ["lstm", "convolution"])
def test_multiply_adds_of_classifier_with_other_encoders(encoder):
    config = ClassifierConfig(
        **SIZES, vocab_size=13, n_classes=3, n_encoder_layers=2, encoder=encoder
    )
    forward = forward_multiply_adds(config, 7)
    assert count(Classifier, config, 7) == [forward, 2 * forward]


@pytest.mark.parametrize("neighbors", [4, 99])
def test_local_attention_saves_cost_of_unseen_keys(neighbors):
    full, local = (
        LanguageModelConfig(**SIZES, vocab_size=13, n_decoder_layers=2, neighbors=n)
        for n in (None, neighbors)
    )
    unseen = 12 - min(neighbors + 1, 12)
    saved = forward_multiply_adds(full, 12) - forward_multiply_adds(local, 12)
    # layers, queries, keys, scores and weighted sums, d_model
    assert saved == 2 * 12 * unseen * 2 * 6
