"""A file of `npformer export` gives our logits in PyTorch."""

import warnings

import numpy as np
import pytest

import npformer as npf
from npformer import InputError
from npformer.decoding import Translator
from npformer.text import Vocabulary

from .weights import torch

CASES = {
    "the paper's": {},
    "pre": {"norm": "pre"},
    "post, with a norm at the end": {"final_norm": True},
    "gelu": {"activation": "gelu"},
    "silu": {"activation": "silu"},
    "another eps": {"layer_norm_eps": 0.1},
    "tables tied by the target": {"tie": "target"},
    "three tables": {"tie": "none"},
    "a bias in the generator": {"generator_bias": True},
    "learned positions": {"positions": "learned"},
    "sines before cosines": {"positions": "sinusoidal_halves"},
    "no bias in attention": {"attention_bias": False},
    "padding of another id": {"pad_id": 4},
}


@pytest.fixture
def translator(make_model):
    def make(**settings):
        model = make_model(**{"n_encoder_layers": 2, "n_decoder_layers": 3, "n_heads": 4, **settings})
        rng = np.random.default_rng(1)
        for parameter in model.parameters():
            parameter.data += rng.normal(0, 0.3, parameter.data.shape).astype(parameter.data.dtype)
        vocabulary = Vocabulary.build(["a b c d e f g h"])
        return Translator(model.eval(), vocabulary, vocabulary)

    return make


def in_torch(path):
    from .exported import Exported

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="enable_nested_tensor")
        return Exported(path).eval()


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-10)])
def test_logits_of_an_exported_model(agree, command, translator, tmp_path, rng, settings, dtype, tolerance):
    ours, path = translator(dtype=dtype, **settings), tmp_path / "model.safetensors"
    ours.save(tmp_path / "run")
    assert command("export", tmp_path / "run", path) == (0, f"{path}\n", "")
    theirs, pad_id = in_torch(path), ours.model.config.pad_id
    src = np.where(np.arange(7) < np.array([7, 1, 4])[:, None], rng.integers(5, 12, (3, 7)), pad_id)
    tgt = rng.integers(5, 12, (3, 6))
    with torch.no_grad():
        theirs.transformer.encoder.use_nested_tensor = False
        expected = theirs(torch.tensor(src), torch.tensor(tgt))
    agree("logits", ours.model.forward(src, tgt), expected, tolerance=tolerance)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"d_word_vec": 8}, "d_word_vec = 8"),
        ({"neighbors": 3}, "neighbors = 3"),
        ({"embedding_norm": True}, "embedding_norm = True"),
        ({"d_k": 3}, "d_k = d_v = d_model / n_heads"),
        ({"d_v": 3}, "d_k = d_v = d_model / n_heads"),
    ],
)
def test_what_has_no_place_in_an_nn_transformer_is_refused(translator, tmp_path, settings, said):
    with pytest.raises(InputError, match=said):
        npf.interop.save_nn_transformer(translator(**settings).model, tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "settings", [{}, {"norm": "pre", "tie": "none", "generator_bias": True, "positions": "learned"}]
)
def test_what_is_exported_can_be_imported(command, translator, tmp_path, settings):
    """The vocabularies of a run folder are among those that can be read."""
    ours = translator(**settings)
    ours.save(tmp_path / "run")
    command("export", tmp_path / "run", tmp_path / "model.safetensors")
    said = ["--source-vocabulary", tmp_path / "run/source_vocabulary.json", "--n-heads", 4, "--layer-norm-eps", 1e-6]
    said += ["--norm", ours.model.config.norm, "--embedding-scale", "sqrt"]
    status, _, err = command("import", tmp_path / "model.safetensors", tmp_path / "again", *said)
    assert (status, err) == (0, "")
    again = Translator.load(tmp_path / "again")
    assert again.model.config.tie == ours.model.config.tie
    ids = np.array([[4, 5, 6, 3]])
    np.testing.assert_allclose(again.model.forward(ids, ids), ours.model.forward(ids, ids), rtol=1e-5, atol=1e-5)
    assert again.translate("a b c") == ours.translate("a b c")
