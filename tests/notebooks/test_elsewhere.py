"""Models that the course makes as if they came from elsewhere, stored losses, and the stored run
of notebook 24.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from helpers.elsewhere import split, trained, write_jadore, write_marian, write_nn_transformer
from helpers.elsewhere.language import NOUNS
from helpers.train_english_letters import FOLDER
from npformer import MissingExtraError, datasets
from npformer.interop.formats import read_source
from npformer.tasks import evaluate

SAID = {
    "nn.Transformer": dict(n_heads=4, norm="pre", activation="gelu", embedding_scale="sqrt"),
    "jadore": {"n_heads": 4, "scale": "prj"},
    "Marian": {},
}
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
VOCABULARIES = {
    "nn.Transformer": ("source.txt", "target.txt"),
    "jadore": ("tokens.txt",),
    "Marian": (),
}
WRITERS = {"nn.Transformer": write_nn_transformer, "jadore": write_jadore, "Marian": write_marian}
NOT_IN_A_FILE = {"dropout", "final_norm", "d_k", "d_v"}  # what need not come back unchanged
needs_pieces = pytest.mark.skipif(
    find_spec("sentencepiece") is None, reason='needs pip install -e ".[marian]"'
)


@pytest.fixture(scope="module")
def pairs():
    return split(40, 20)[0]


@pytest.mark.parametrize("name", [*list(WRITERS)[:2], pytest.param("Marian", marks=needs_pieces)])
def test_written_model_is_recognized_and_equals_trained_model(name, pairs, tmp_path):
    original = trained(name, pairs, epochs=1)
    path = WRITERS[name](original, tmp_path / "model")
    files = zip(("source_vocabulary", "target_vocabulary"), VOCABULARIES[name], strict=False)
    assert read_source(path)[0] == name
    found = npf.interop.load(
        path, **SAID[name] | {option: str(tmp_path / "model" / file) for option, file in files}
    )
    for setting in vars(found.model.config).keys() - NOT_IN_A_FILE:
        assert getattr(found.model.config, setting) == getattr(original.model.config, setting), (
            setting
        )

    src = np.array([found.encode(pairs[0].source)])
    assert src.tolist() == [original.encode(pairs[0].source)]
    tgt = np.array([[found.model.config.start_id, *found.target.encode(pairs[0].target)]])
    logits, expected = (translator.model.forward(src, tgt) for translator in (found, original))
    written = logits[0, 0] > -1e6
    np.testing.assert_allclose(logits[..., written], expected[..., written], atol=1e-5)
    assert written.sum() >= len(found.target) - 1
    assert found.translate(pairs[1].source, beam=1) == original.translate(pairs[1].source, beam=1)


def test_missing_marian_library_is_named(pairs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"npformer\[marian\]"):
        write_marian(trained("Marian", pairs, epochs=1), tmp_path / "model")


def test_generated_language_is_consistent():
    train, held_out = split(300, 100)
    assert len({pair.source for pair in train + held_out}) == 400
    genders = {german: gender for gender, nouns in NOUNS.items() for german in nouns.values()}
    subjects = {"m": {"der", "ein"}, "f": {"die", "eine"}, "n": {"das", "ein"}}
    objects = {"m": {"den", "einen"}, "f": {"die", "eine"}, "n": {"das", "ein"}}
    for pair in train:
        source, target = pair.source.split(), pair.target.split()
        assert sorted(i for i, _ in pair.alignment) == [*range(len(source))]
        assert sorted(j for _, j in pair.alignment) == [*range(len(target))]
        english = {target[j]: source[i] for i, j in pair.alignment}
        assert all(
            NOUNS[genders[word]][english[word]] == word for word in target if word in genders
        )
        nouns = [j for j, word in enumerate(target) if word in genders]
        articles = [
            j
            for j, word in enumerate(target)
            if word in set.union(*subjects.values(), *objects.values())
        ]
        for forms, j, k in zip((subjects, objects), articles, nouns, strict=True):
            assert target[j] in forms[genders[target[k]]]
        if {"has", "will"} & set(source):
            assert target[-1].startswith("ge") or target[-1].endswith("en")


def test_stored_run_has_the_loss_that_its_notebook_shows():
    [held_out] = datasets.get("english").load("held_out")
    loss = evaluate(npf.runs.load(FOLDER), held_out).loss
    assert f"held-out loss {loss:.2f} nats" in (NOTEBOOKS / "24_generating_text.ipynb").read_text(
        "utf-8"
    )
