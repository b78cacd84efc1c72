"""A folder of a model of Marian through the command line: what can be done with it, and the errors of damaged ones."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer.decoding import Translator

from . import marian_made as made
from .marian_made import transformers
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


def test_a_run_folder_translates_as_what_was_imported(whole, run, command):
    expected = npf.interop.load(whole)
    status, out, err = command("translate", run, *SENTENCES)
    assert (status, out.splitlines()) == (0, expected.translate(SENTENCES))
    assert "☃" in err
    wu = expected.translate(SENTENCES, alpha=0.6, penalty="wu", beam=2)
    assert command("translate", run, *SENTENCES, "--alpha", 0.6, "--penalty", "wu", "--beam", 2).out.splitlines() == wu
    assert Translator.load(run).search == expected.search != Translator.search


def test_it_is_evaluated_with_its_own_search(run, command, tmp_path, monkeypatch):
    searches = []
    found = Translator.translations
    monkeypatch.setattr(
        Translator, "translations", lambda self, src, **how: searches.append(how) or found(self, src, **how)
    )
    for side in ("src", "tgt"):
        (tmp_path / side).write_text("the dog .\n")
    files = ["--src", tmp_path / "src", "--tgt", tmp_path / "tgt"]
    assert command("evaluate", run, *files).status == 0
    assert command("evaluate", run, *files, "--beam", 2).status == 0
    both = [(how["beam"], how["alpha"], how["penalty"]) for how in searches]
    assert both == [(None, None, None), (2, None, None)]  # what is not given is the model's own
    assert vars(Translator.load(run).search) == {"beam": 4, "alpha": 1.0, "penalty": "length"}


def test_weights_in_a_pickle_of_torch_or_in_half_precision(whole, folder):
    expected = npf.interop.load(whole).model.state_dict()
    weights = load_file(folder / "model.safetensors")
    torch.save({name: torch.tensor(array) for name, array in weights.items()}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    found = npf.interop.load(folder).model.state_dict()
    assert all((found[name] == array).all() for name, array in expected.items())
    (folder / "pytorch_model.bin").unlink()
    save_file({name: array.astype("float16") for name, array in weights.items()}, folder / "model.safetensors")
    found = npf.interop.load(folder).model.state_dict()
    assert all(array.dtype == np.float32 for array in found.values())
    assert all(np.allclose(found[name], array, rtol=1e-3, atol=1e-3) for name, array in expected.items())


def test_every_name_that_older_folders_have_for_a_table(whole, folder):
    """They hold the table four times, and their positions."""
    model = transformers.MarianMTModel.from_pretrained(whole)
    weights = {name: tensor.numpy().copy() for name, tensor in model.state_dict().items()}
    assert len(weights) > len(load_file(folder / "model.safetensors"))
    save_file(weights, folder / "model.safetensors")
    found = npf.interop.load(folder).model.state_dict()
    expected = npf.interop.load(whole).model.state_dict()
    assert all((found[name] == array).all() for name, array in expected.items())


def change_settings(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def change_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def change_vocabulary(folder, change):
    path = folder / "vocab.json"
    ids = json.loads(path.read_text())
    change(ids)
    path.write_text(json.dumps(ids))


FC1 = "model.encoder.layers.0.fc1.weight"
POSITIONS = "model.decoder.embed_positions.weight"
DAMAGES = {
    "no settings": (lambda f: (f / "config.json").unlink(), "opus is not of a known kind"),
    "settings cut off": (lambda f: (f / "config.json").write_text("{"), "config.json is damaged: it is not JSON"),
    "another kind": (
        lambda f: change_settings(f, model_type="bart"),
        "of a model of the type 'bart': expected 'marian'",
    ),
    "a setting missing": (
        lambda f: (f / "config.json").write_text('{"model_type": "marian"}'),
        "it lacks activation_function, d_model, ",
    ),
    "an odd setting": (lambda f: change_settings(f, d_model="wide"), "config.json is damaged: its d_model is 'wide'"),
    "an activation in a list": (
        lambda f: change_settings(f, activation_function=[1]),
        "config.json is damaged: its activation_function is [1], expected a text",
    ),
    "a size in quotes": (
        lambda f: change_settings(f, vocab_size="5"),
        "config.json is damaged: its vocab_size is '5', expected an integer",
    ),
    "a truth in quotes": (
        lambda f: change_settings(f, scale_embedding="no"),
        "config.json is damaged: its scale_embedding is 'no', expected true or false",
    ),
    "other heads": (lambda f: change_settings(f, decoder_attention_heads=2), "differ in attention_heads, 4 and 2"),
    "other widths": (lambda f: change_settings(f, encoder_ffn_dim=9), "differ in ffn_dim, 9 and 48"),
    "activation": (lambda f: change_settings(f, activation_function="gelu_new"), "activation_function is 'gelu_new'"),
    "start": (lambda f: change_settings(f, decoder_start_token_id=9999), "decoder_start_token_id is 9999"),
    "pad": (lambda f: change_settings(f, pad_token_id=3), "says that 3 is the id of <pad>, vocab.json that it is"),
    "end": (lambda f: change_settings(f, eos_token_id=7), "says that 7 is the id of </s>, vocab.json that it is 0"),
    "tables": (lambda f: change_settings(f, tie_word_embeddings=False), "which table is whose is not told"),
    "more layers": (lambda f: change_settings(f, encoder_layers=3), "these weights lack model.encoder.layers.2."),
    "fewer layers": (lambda f: change_settings(f, encoder_layers=1), "the weights have model.encoder.layers.1."),
    "width": (lambda f: change_settings(f, d_model=16), "weights do not fit this config"),
    "an odd search": (
        lambda f: (f / "generation_config.json").write_text('{"num_beams": 0}'),
        "generation_config.json: beam = 0: expected",
    ),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "has no weights: bring model.safetensors or"),
    "pointer": (
        lambda f: (f / "model.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid 1\n"),
        "model.safetensors is a pointer of Git LFS",
    ),
    "weights cut off": (lambda f: cut(f / "model.safetensors"), "model.safetensors is damaged or no safetensors file"),
    "an array missing": (lambda f: change_weights(f, lambda w: w.pop(FC1)), f"these weights lack {FC1}"),
    "no bias": (
        lambda f: change_weights(f, lambda w: w.pop("final_logits_bias")),
        "these weights lack final_logits_bias",
    ),
    "an array more": (lambda f: change_weights(f, lambda w: w.update(more=w[FC1])), "the weights have more"),
    "a tied table of its own": (
        lambda f: change_weights(f, lambda w: w.update({"lm_head.weight": w["model.shared.weight"] + 1})),
        "model.shared.weight and lm_head.weight differ, and config.json says that they are one",
    ),
    "whole numbers": (
        lambda f: change_weights(f, lambda w: w.update({FC1: w[FC1].astype("i4")})),
        f"{FC1} holds numbers of the type int32: expected floats",
    ),
    "a shape": (lambda f: change_weights(f, lambda w: w.update({FC1: w[FC1][1:]})), "weights do not fit this config"),
    "no number": (lambda f: change_weights(f, lambda w: w[FC1].fill(np.nan)), f"{FC1} contains NaN or infinity"),
    "positions": (
        lambda f: change_weights(f, lambda w: w.update({POSITIONS: np.ones((64, 32), "f4")})),
        "the positions of its decoder are not sines before cosines",
    ),
    "no vocabulary": (lambda f: (f / "vocab.json").unlink(), "vocab.json does not exist"),
    "a token missing": (lambda f: change_vocabulary(f, lambda ids: ids.pop("<pad>")), "tokens, config.json says"),
    "a gap": (lambda f: change_vocabulary(f, lambda ids: ids.update({"<pad>": 10**6})), "vocab.json is no vocabulary"),
    "no pad": (
        lambda f: change_vocabulary(f, lambda ids: ids.update({"other": ids.pop("<pad>")})),
        "vocabulary has no token '<pad>'",
    ),
    "no pieces": (lambda f: (f / "source.spm").unlink(), "source.spm does not exist"),
    "empty pieces": (lambda f: (f / "source.spm").write_bytes(b""), "source.spm: the .spm file is empty"),
    "pieces cut off": (lambda f: cut(f / "target.spm"), "target.spm: the .spm file is damaged"),
}


def cut(path):
    path.write_bytes(path.read_bytes()[:500])


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_partial_or_foreign_folder_gets_one_line(folder, tmp_path, refused, damage, said):
    damage(folder)
    assert said in refused("import", folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "target.spm").unlink(), "target.spm does not exist"),
        (lambda f: shutil.copy(f / "source.spm", f / "target.spm"), "is not the one that it was written with"),
        (lambda f: shutil.copy(f / "source_vocabulary.json", f / "target_vocabulary.json"), "written with"),
        (lambda f: (f / "source_vocabulary.json").unlink(), "source_vocabulary.json does not exist"),
        (lambda f: swap_tokens(f / "source_vocabulary.json"), "does not hold together"),
        (lambda f: change_settings(f, search={"alpha": -1}), "config.json is damaged: alpha = -1: expected"),
        (lambda f: change_settings(f, search={"width": 3}), "config.json is damaged: the search has unknown width"),
    ],
)
def test_a_damaged_run_folder_gets_one_line(run, refused, damage, said):
    damage(run)
    assert said in refused("translate", run, "a dog")


def swap_tokens(path):
    value = json.loads(path.read_text())
    value["tokens"][8:10] = value["tokens"][9], value["tokens"][8]
    path.write_text(json.dumps(value))
