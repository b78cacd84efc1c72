"""A loaded model is the model that was saved."""

import numpy as np
import pytest

from npformer.decoding import Translator
from npformer.models.model_folder import ModelFolder
from npformer.text import Vocabulary


@pytest.fixture
def saved(make_model, tmp_path):
    """A model that is written into the folder "run"."""
    vocabulary = Vocabulary.build(["a b c d e f g h"])
    model = make_model(src_vocab_size=12, tgt_vocab_size=12, dropout=0.5, positions="learned")
    Translator(model, vocabulary, vocabulary).save(tmp_path / "run")
    return model


def test_a_loaded_model_has_the_saved_weights_and_drops_out(saved, tmp_path):
    loaded = ModelFolder(tmp_path / "run", Translator).load_model()
    for (name, was), (same, came) in zip(saved.named_parameters(), loaded.named_parameters(), strict=True):
        assert name == same and np.array_equal(was.data, came.data) and not came.grad.any()
    ids = np.full((1, 3), 5)
    loaded.train()
    assert not np.array_equal(loaded.forward(ids, ids), loaded.forward(ids, ids))  # it drops out
