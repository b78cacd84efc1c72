"""A folder of a model of Marian through the command line: what can be done with it, and errors of
damaged pieces.
"""

import json
import shutil

import pytest
from safetensors.numpy import load_file

import npformer as npf
from npformer.tasks import Translator

from . import marian_made as made
from .weights import torch

SENTENCES = ["The dog sleeps.", "☃ the old man"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    made.make(folder)
    return folder


@pytest.fixture
def folder(whole, tmp_path):
    """A folder to damage."""
    return shutil.copytree(whole, tmp_path / "opus")


@pytest.fixture
def run(whole, tmp_path, command):
    """The run folder that it becomes."""
    status, out, _ = command("import", whole, tmp_path / "run")
    assert status == 0
    assert "2+3 layers, d_model 32, d_ff 48, 4 heads" in out
    return tmp_path / "run"


def test_run_folder_translates_like_imported_model(whole, run, command):
    expected = npf.interop.load(whole)
    status, out, err = command("translate", run, *SENTENCES)
    assert (status, out.splitlines()) == (0, expected.translate(SENTENCES))
    assert "☃" in err
    wu = expected.translate(SENTENCES, alpha=0.6, length_normalization="wu", beam=2)
    assert (
        command(
            "translate",
            run,
            *SENTENCES,
            "--alpha",
            0.6,
            "--length-normalization",
            "wu",
            "--beam",
            2,
        ).out.splitlines()
        == wu
    )
    assert npf.load(run).search == expected.search != Translator.search


def test_weights_in_a_torch_pickle(whole, folder):
    expected = npf.interop.load(whole).model.state_dict()
    weights = load_file(folder / "model.safetensors")
    torch.save(
        {name: torch.tensor(array) for name, array in weights.items()}, folder / "pytorch_model.bin"
    )
    (folder / "model.safetensors").unlink()
    found = npf.interop.load(folder).model.state_dict()
    assert all((found[name] == array).all() for name, array in expected.items())


def change_settings(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "source.spm").write_bytes(b""), "source.spm: the .spm file is damaged"),
        (
            lambda f: (f / "target.spm").write_bytes((f / "target.spm").read_bytes()[:500]),
            "the .spm file is damaged",
        ),
    ],
)
def test_damaged_piece_files_are_rejected(folder, tmp_path, refused, damage, said):
    damage(folder)
    assert said in refused("import", folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "target.spm").unlink(), "target.spm does not exist"),
        (
            lambda f: shutil.copy(f / "source.spm", f / "target.spm"),
            "is not the one that it was written with",
        ),
        (
            lambda f: shutil.copy(f / "source_vocabulary.json", f / "target_vocabulary.json"),
            "written with",
        ),
        (
            lambda f: (f / "source_vocabulary.json").unlink(),
            "source_vocabulary.json does not exist",
        ),
        (lambda f: swap_tokens(f / "source_vocabulary.json"), "is inconsistent"),
        (
            lambda f: change_settings(f, search={"alpha": -1}),
            "config.json is damaged: alpha = -1: expected",
        ),
        (
            lambda f: change_settings(f, search={"width": 3}),
            "config.json is damaged: the search has unknown width",
        ),
    ],
)
def test_damaged_run_folder_is_reported(run, refused, damage, said):
    damage(run)
    assert said in refused("translate", run, "a dog")


def swap_tokens(path):
    value = json.loads(path.read_text())
    value["tokens"][8:10] = value["tokens"][9], value["tokens"][8]
    path.write_text(json.dumps(value))
