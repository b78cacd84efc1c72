"""Every number of a model has the dtype of its config, whatever the model is built of."""

import numpy as np
import pytest

from npformer.models import (
    Classifier,
    ClassifierConfig,
    LanguageModel,
    LanguageModelConfig,
    Transformer,
    TransformerConfig,
)
from npformer.models.classifier import ENCODER_LAYERS

SIZES = {"d_model": 8, "d_ff": 8, "n_heads": 2, "dtype": "float64"}


def assert_is_float64(model):
    dtypes = {name: parameter.data.dtype for name, parameter in model.named_parameters()}
    # tables that are no Parameters, such as sinusoids
    for module_name, module in model.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, np.ndarray):
                dtypes[f"{module_name}.{name}"] = value.dtype
    assert set(dtypes.values()) == {np.dtype("float64")}, dtypes


@pytest.mark.parametrize("tie", ["all", "target", "none"])
def test_transformer(tie):
    sizes = {"src_vocab_size": 9, "tgt_vocab_size": 9, "n_encoder_layers": 1, "n_decoder_layers": 1}
    extra = {"tie_embeddings": tie, "generator_bias": True, "embedding_norm": True}
    config = TransformerConfig(**SIZES, **sizes, **extra, final_norm=True)
    assert_is_float64(Transformer(config, rng=0))


LANGUAGE_MODELS = [
    {},
    {"norm": "pre", "positions": "learned", "tie_embeddings": "none", "generator_bias": True},
    {"norm": "rms", "positions": "rotary", "activation": "swiglu", "n_kv_heads": 1},
]


@pytest.mark.parametrize("settings", LANGUAGE_MODELS, ids=str)
def test_language_model(settings):
    config = LanguageModelConfig(**SIZES, vocab_size=9, n_decoder_layers=1, **settings)
    assert_is_float64(LanguageModel(config, rng=0))


@pytest.mark.parametrize("encoder", ENCODER_LAYERS)
def test_classifier(encoder):
    sizes = {"vocab_size": 9, "n_classes": 3, "n_encoder_layers": 1}
    config = ClassifierConfig(**SIZES, **sizes, encoder=encoder)
    assert_is_float64(Classifier(config, rng=0))
