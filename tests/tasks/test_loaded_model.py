"""A model whose weights are read is not drawn first, and is the model that was saved."""

import numpy as np

from npformer.decoding import Translator
from npformer.tasks.model_folder import ModelFolder
from npformer.text import Vocabulary


def test_a_model_is_loaded_without_drawing_its_weights(make_model, tmp_path):
    vocabulary = Vocabulary.build(["a b c d"])
    saved = make_model(src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), dropout=0.5, positions="learned")
    Translator(saved, vocabulary, vocabulary).save(tmp_path / "run")
    loaded = ModelFolder(tmp_path / "run").load_model()
    for (name, was), (same, came) in zip(saved.named_parameters(), loaded.named_parameters(), strict=True):
        assert name == same and np.array_equal(was.data, came.data) and not came.grad.any()
    [rng] = loaded.generators()
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state
    ids = np.full((1, 3), 5)
    loaded.train()
    assert not np.array_equal(loaded.forward(ids, ids), loaded.forward(ids, ids))  # it drops out
