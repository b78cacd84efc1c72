"""Folders of Marian's models that are damaged, partial or of another kind get one clear line."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer.decoding import BeamSearchConfig

from . import theirs


@pytest.fixture
def folder(without_sentencepiece, rng, tmp_path):
    (tmp_path / "opus").mkdir()
    theirs.write_marian(tmp_path / "opus", rng)
    return tmp_path / "opus"


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


DAMAGES = {
    "no settings": (lambda f: (f / "config.json").unlink(), "opus is not a model of a known kind"),
    "settings cut off": (
        lambda f: (f / "config.json").write_text("{"),
        "config.json is damaged: it is not JSON",
    ),
    "another kind": (
        lambda f: change_settings(f, model_type="bart"),
        "of a model of the type 'bart': expected 'marian'",
    ),
    "settings missing": (
        lambda f: (f / "config.json").write_text('{"model_type": "marian"}'),
        "decoder_start_token_id in",
    ),
    "odd heads": (
        lambda f: change_settings(f, encoder_attention_heads="2", decoder_attention_heads="2"),
        "opus: n_heads = '2': expected an integer >= 1",
    ),
    "other heads": (
        lambda f: change_settings(f, decoder_attention_heads=4),
        "attention_heads differ: our encoder and",
    ),
    "too many heads": (
        lambda f: change_settings(f, encoder_attention_heads=3, decoder_attention_heads=3),
        "n_heads = 3 does not divide the widths of queries and values, 8, 8",
    ),
    "activation": (
        lambda f: change_settings(f, activation_function=["new"]),
        "activation = \"['new']\": expected one of",
    ),
    "length": (
        lambda f: change_settings(f, max_position_embeddings=None),
        "max_len = None: expected an integer >= 1",
    ),
    "start": (
        lambda f: change_settings(f, decoder_start_token_id=9999),
        "decoder_start_token_id in config.json is not",
    ),
    "search": (
        lambda f: (f / "generation_config.json").write_text('{"num_beams": 0}'),
        "generation_config.json: beam = 0: expected",
    ),
    "no weights": (
        lambda f: (f / "model.safetensors").unlink(),
        "has no weights: expected model.safetensors or pytorch_model.bin",
    ),
    "Git LFS": (
        lambda f: (f / "model.safetensors").write_text(
            "version https://git-lfs.github.com/spec/v1\noid 1\n"
        ),
        "model.safetensors is damaged or no safetensors file",
    ),
    "no bias": (
        lambda f: change_weights(f, lambda w: w.pop("final_logits_bias")),
        "lack final_logits_bias",
    ),
    "no vocabulary": (lambda f: (f / "vocab.json").unlink(), "vocab.json does not exist"),
    "a token missing": (
        lambda f: change_vocabulary(f, lambda ids: ids.popitem()),
        "could be its pad",
    ),
    "a token more": (
        lambda f: change_vocabulary(f, lambda ids: ids.update(more=12)),
        "vocab.json has 13 tokens, the source embedding matrix has 12 rows: give the vocabulary",
    ),
    "a gap": (
        lambda f: change_vocabulary(f, lambda ids: ids.update(more=10**6)),
        "vocab.json is not a vocabulary",
    ),
    "two tables that differ": (
        lambda f: change_weights(
            f,
            lambda w: w.update(
                {"model.encoder.embed_tokens.weight": w["model.shared.weight"] + np.float32(1)}
            ),
        ),
        "model.shared.weight and model.encoder.embed_tokens.weight differ: expected one matrix",
    ),
    "no pieces": (lambda f: (f / "source.spm").unlink(), "source.spm does not exist"),
}


@pytest.mark.parametrize(("damage", "said"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_partial_or_foreign_folder_is_rejected(folder, tmp_path, refused, damage, said):
    damage(folder)
    assert said in refused("import", folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("share", [True, False])
def test_vocabulary_size_that_differs_from_arrays_is_rejected(
    without_sentencepiece, refused, rng, tmp_path, share
):
    theirs.write_marian(tmp_path, rng, share=share)
    tokens = ["</s>", "<unk>", *"abcdefghijk", "<pad>"]
    (tmp_path / "target_vocab.json").write_text(
        json.dumps({token: i for i, token in enumerate(tokens)})
    )
    said = "target_vocab.json has 14 tokens, the target embedding matrix has 12 rows: give the"
    assert said in refused("import", tmp_path, tmp_path / "run")


def test_half_precision_folder_with_older_names(folder):
    """They hold the shared matrix four times, and their positions."""
    expected = npf.interop.load(folder).model.state_dict()
    weights = load_file(folder / "model.safetensors")
    for name in ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"):
        weights[f"{name}.weight"] = weights["model.shared.weight"]
    for stack in theirs.LAYERS:
        weights[f"model.{stack}.embed_positions.weight"] = theirs.waves(20, halves=True)
    save_file(
        {name: array.astype("float16") for name, array in weights.items()},
        folder / "model.safetensors",
    )
    found = npf.interop.load(folder).model.state_dict()
    assert all(array.dtype == np.float32 for array in found.values())
    assert all(
        np.allclose(found[name], array, rtol=1e-3, atol=1e-3) for name, array in expected.items()
    )


@pytest.mark.parametrize("name", ["generation_config.json", "config.json"])
def test_search_settings_that_are_null_are_those_of_transformers(folder, name):
    settings = {"num_beams": None, "length_penalty": None}
    if name == "config.json":
        change_settings(folder, **settings)
    else:
        (folder / name).write_text(json.dumps(settings))
    assert npf.interop.load(folder).search == BeamSearchConfig(
        beam=1, alpha=1.0, length_normalization="length"
    )


def test_other_settings_that_are_null_are_not_given(folder):
    expected = npf.interop.load(folder).model.state_dict()
    change_settings(folder, tie_word_embeddings=None)
    found = npf.interop.load(folder).model.state_dict()
    assert all((found[name] == array).all() for name, array in expected.items())


def test_generation_config_overrides_search_settings(folder):
    (folder / "generation_config.json").write_text('{"num_beams": 3}')
    assert npf.interop.load(folder).search == BeamSearchConfig(
        beam=3, alpha=1.0, length_normalization="length"
    )
    (folder / "generation_config.json").write_text('{"length_penalty": 0.5}')
    assert npf.interop.load(folder).search == BeamSearchConfig(
        beam=1, alpha=0.5, length_normalization="length"
    )


def test_embeddings_are_multiplied_only_where_settings_say_so(folder):
    change_settings(folder, scale_embedding=False)
    expected = npf.interop.load(folder).model.state_dict()
    settings = json.loads((folder / "config.json").read_text())
    settings.pop("scale_embedding")
    (folder / "config.json").write_text(json.dumps(settings))
    found = npf.interop.load(folder).model.state_dict()
    assert all((found[name] == array).all() for name, array in expected.items())
