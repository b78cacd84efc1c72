"""What `npformer export` wrote is imported with its vocabularies alone: its note says the rest."""

import numpy as np
import pytest

import npformer as npf
from npformer.decoding import Translator
from npformer.interop import save_nn_transformer
from npformer.text import Vocabulary

SETTINGS = {
    "n_heads": 2,
    "norm": "pre",
    "activation": "gelu",
    "layer_norm_eps": 0.25,
    "source_marks": "both",
    "start_id": 0,
    "pad_id": 4,
    "dropout": 0.3,
}
CONTRADICTIONS = {
    "n-heads": ("4", 2),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu"),
    "layer-norm-eps": ("0.5", 0.25),
    "source-marks": ("eos", "both"),
    "embedding-scale": ("1", "sqrt"),
}


@pytest.fixture
def ours(make_model, tmp_path):
    """A run folder, its vocabularies as options, and what `npformer export` makes of it."""
    model = make_model(**SETTINGS).eval()
    source = Vocabulary([*npf.text.vocabulary.SPECIALS, *"abcdefgh"], unit="characters", lowercase=True)
    target = Vocabulary([*npf.text.vocabulary.SPECIALS, *"ABCDEFGH"], unit="characters")
    Translator(model, source, target).save(tmp_path / "run")
    save_nn_transformer(model, tmp_path / "model.safetensors")
    return model, [
        tmp_path / "model.safetensors",
        *("--source-vocabulary", tmp_path / "run" / "source_vocabulary.json"),
        *("--target-vocabulary", tmp_path / "run" / "target_vocabulary.json"),
    ]


def test_the_way_there_and_back(command, ours, tmp_path):
    model, said = ours
    assert command("import", *said, tmp_path / "back").status == 0
    back = Translator.load(tmp_path / "back")
    assert {name: getattr(back.model.config, name) for name in SETTINGS} == SETTINGS
    ids = np.array([[5, 6, 7, 3, 4]])
    np.testing.assert_allclose(back.model.forward(ids, ids), model.forward(ids, ids), rtol=1e-5, atol=1e-6)
    assert [(v.unit, v.lowercase) for v in (back.source, back.target)] == [("characters", True), ("characters", False)]


@pytest.mark.parametrize("option", CONTRADICTIONS)
def test_what_contradicts_the_note_is_refused(refused, ours, tmp_path, option):
    given, noted = CONTRADICTIONS[option]
    line = refused("import", *ours[1], tmp_path / "back", f"--{option}", given)
    assert f"--{option} {given} contradicts the note that npformer export left in the file, which says {noted}:" in line


def test_what_agrees_may_be_said(command, ours, tmp_path):
    agrees = ("--n-heads", "2", "--norm", "pre", "--unit", "characters", "--lowercase", "source")
    assert command("import", *ours[1], tmp_path / "back", *agrees).status == 0
