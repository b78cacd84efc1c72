"""The translator that ships: how well it translates, and how it is found by its name."""

import shutil

import pytest

import npformer as npf
from npformer.runs.folder import SHIPPED, RunFolder
from npformer.tasks import TASKS


def test_it_translates_held_out_sentences():
    translator = npf.load("phrasebook")
    training = RunFolder.find("phrasebook").training()
    [pairs] = training.load("held_out")
    translation = TASKS["translation"]
    scores = translation.evaluate(
        translator, pairs[:100], **translation.evaluate_defaults(training)
    )
    assert sum(scores.equal) >= 97


def test_it_has_the_files_that_loading_needs_and_no_others():
    files = {path.name: path.stat().st_size for path in (SHIPPED / "phrasebook").iterdir()}
    assert sorted(files) == [
        "config.json",
        "source_vocabulary.json",
        "target_vocabulary.json",
        "weights.safetensors",
    ]
    assert sum(files.values()) < 1.3e6


def test_a_folder_of_the_same_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert RunFolder.find("phrasebook").path == SHIPPED / "phrasebook"
    shutil.copytree(SHIPPED / "phrasebook", "phrasebook")
    assert str(RunFolder.find("phrasebook").path) == "phrasebook"


def test_another_name_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        npf.InputError, match=r"not a run folder, nor .* ships with npformer: english_letters, phr"
    ):
        npf.load("phrasebok")


def test_it_cannot_be_resumed():
    with pytest.raises(npf.InputError, match="checkpoint"):
        npf.runs.resume(SHIPPED / "phrasebook")


@pytest.mark.parametrize(
    "verb",
    [
        ["translate", "phrasebook", "The dog sleeps."],
        ["evaluate", "phrasebook", "--beam", "1"],
        ["export", "phrasebook", "weights.pt.safetensors"],
        ["attend", "phrasebook", "The dog sleeps.", "--html", "look.html"],
        ["step", "phrasebook", "The dog sleeps.", "--html", "step.html"],
    ],
    ids=lambda verb: verb[0],
)
def test_verbs_take_its_name(command, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    status, out, _ = command(*verb)
    assert status == 0
    if verb[0] == "translate":
        assert out == "Der Hund schläft.\n"
