"""A file of `npformer export` gives our logits in PyTorch."""

import warnings

import numpy as np
import pytest

import npformer as npf
from npformer.tasks import Translator
from npformer.text import Vocabulary
from tests.small_models import disturb

from .weights import torch

CASES = {
    "the paper's": {},
    "pre": {"norm": "pre", "activation": "gelu", "layer_norm_eps": 0.1},
    "post, with a norm at the end": {
        "final_norm": True,
        "tie_embeddings": "target",
        "activation": "silu",
    },
    "three tables": {"tie_embeddings": "none", "generator_bias": True, "positions": "learned"},
    "no bias in attention": {"attention_bias": False, "positions": "sinusoidal_concatenated"},
    "padding of another id": {"pad_id": 4},
}


@pytest.fixture
def translator(make_model):
    def make(**settings):
        model = make_model(
            **{"n_encoder_layers": 2, "n_decoder_layers": 3, "n_heads": 4, **settings}
        )
        rng = np.random.default_rng(1)
        disturb(model, rng)
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
def test_logits_of_an_exported_model(
    agree, command, translator, tmp_path, rng, settings, dtype, tolerance
):
    ours, path = translator(dtype=dtype, **settings), tmp_path / "model.safetensors"
    npf.save(ours, tmp_path / "run")
    assert command("export", tmp_path / "run", path) == (0, f"{path}\n", "")
    theirs, pad_id = in_torch(path), ours.model.config.pad_id
    src = np.where(np.arange(7) < np.array([7, 1, 4])[:, None], rng.integers(5, 12, (3, 7)), pad_id)
    tgt = rng.integers(5, 12, (3, 6))
    with torch.no_grad():
        theirs.transformer.encoder.use_nested_tensor = False
        expected = theirs(torch.tensor(src), torch.tensor(tgt))
    agree("logits", ours.model.forward(src, tgt), expected, tolerance=tolerance)
