"""A model whose weights are read is not drawn first, and is the model that was saved."""

import numpy as np
import pytest

from npformer.decoding import Translator
from npformer.layers import Linear
from npformer.models.model_folder import ModelFolder
from npformer.text import Vocabulary


@pytest.fixture
def saved(make_model, tmp_path):
    """A model that is written into the folder "run"."""
    vocabulary = Vocabulary.build(["a b c d e f g h"])
    model = make_model(src_vocab_size=12, tgt_vocab_size=12, dropout=0.5, positions="learned")
    Translator(model, vocabulary, vocabulary).save(tmp_path / "run")
    return model


def test_a_model_is_loaded_without_drawing_its_weights(saved, tmp_path):
    loaded = ModelFolder(tmp_path / "run", Translator).load_model()
    for (name, was), (same, came) in zip(saved.named_parameters(), loaded.named_parameters(), strict=True):
        assert name == same and np.array_equal(was.data, came.data) and not came.grad.any()
    [rng] = loaded.generators()
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state
    ids = np.full((1, 3), 5)
    loaded.train()
    assert not np.array_equal(loaded.forward(ids, ids), loaded.forward(ids, ids))  # it drops out


def test_a_layer_built_from_its_generator_has_weights(saved, tmp_path):
    [rng] = ModelFolder(tmp_path / "run", Translator).load_model().generators()
    np.testing.assert_array_equal(Linear(3, 3, rng=rng).weight.data, Linear(3, 3, rng=0).weight.data)
