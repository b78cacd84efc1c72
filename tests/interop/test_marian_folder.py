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


def remove(weights, start):
    for name in list(weights):
        if name.startswith(start):
            del weights[name]


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
        "config.json: encoder_attention_heads = '2': expected an integer >= 1",
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
        "config.json: activation_function = ['new']: expected one of",
    ),
    "length": (
        lambda f: change_settings(f, max_position_embeddings=0),
        "config.json: max_position_embeddings = 0: expected an integer >= 1",
    ),
    "last layer lost": (
        lambda f: change_weights(f, lambda w: remove(w, "model.decoder.layers.1.")),
        "opus: decoder_layers = 2 in config.json, and 1 by the arrays: a part of the weights",
    ),
    "first layer lost": (
        lambda f: change_weights(f, lambda w: remove(w, "model.decoder.layers.0.")),
        "opus: these weights lack model.decoder.layers.",
    ),
    "a part of a layer lost": (
        lambda f: change_weights(f, lambda w: remove(w, "model.decoder.layers.1.fc1.")),
        "opus: these weights lack model.decoder.layers.1.fc1.weight",
    ),
    "a layer more": (
        lambda f: change_settings(f, decoder_layers=1),
        "opus: decoder_layers = 1 in config.json, and 2 by the arrays",
    ),
    "a layer less": (
        lambda f: change_settings(f, encoder_layers=2),
        "opus: encoder_layers = 2 in config.json, and 1 by the arrays",
    ),
    "layers not given": (
        lambda f: change_settings(f, encoder_layers=None),
        "opus: encoder_layers = 12 in config.json, and 1 by the arrays",
    ),
    "width": (
        lambda f: change_settings(f, d_model=16),
        "opus: d_model = 16 in config.json, and 8 by the arrays",
    ),
    "width of a feed-forward network": (
        lambda f: change_settings(f, decoder_ffn_dim=11),
        "opus: decoder_ffn_dim = 11 in config.json, and 10 by the arrays",
    ),
    "an array more": (
        lambda f: change_weights(f, lambda w: w.update(more=np.ones((2, 3), "float32"))),
        "opus: unexpected arrays more (2, 3): remove those",
    ),
    "unknown setting": (
        lambda f: change_settings(f, foo=1),
        "config.json: foo = 1 is not known to npformer, and the model may compute something",
    ),
    "norm first": (
        lambda f: change_settings(f, normalize_before=True),
        "config.json: normalize_before = True is not known to npformer",
    ),
    "learned positions": (
        lambda f: change_settings(f, static_position_embeddings=False),
        "config.json: static_position_embeddings = False: expected True",
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


# what published folders have in config.json besides the settings that are read; <pad> is token 11
PUBLISHED = {
    "_num_labels": 3,
    "activation_dropout": 0.0,
    "add_bias_logits": False,
    "add_final_layer_norm": False,
    "architectures": ["MarianMTModel"],
    "attention_dropout": 0.0,
    "bad_words_ids": [[11]],
    "bos_token_id": 0,
    "classif_dropout": 0.0,
    "classifier_dropout": 0.0,
    "decoder_layerdrop": 0.0,
    "decoder_vocab_size": 12,
    "dropout": 0.1,
    "encoder_layerdrop": 0.0,
    "eos_token_id": 0,
    "extra_pos_embeddings": 12,
    "forced_eos_token_id": 0,
    "gradient_checkpointing": False,
    "id2label": {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
    "init_std": 0.02,
    "is_encoder_decoder": True,
    "label2id": {"LABEL_0": 0, "LABEL_1": 1, "LABEL_2": 2},
    "max_length": 512,
    "normalize_before": False,
    "normalize_embedding": False,
    "num_beams": 6,
    "num_hidden_layers": 6,
    "pad_token_id": 11,
    "static_position_embeddings": True,
    "torch_dtype": "float16",
    "transformers_version": "4.22.0.dev0",
    "use_cache": True,
    "vocab_size": 12,
}
PUBLISHED_SEARCH = {
    "_from_model_config": True,
    "bad_words_ids": [[11]],
    "bos_token_id": 0,
    "decoder_start_token_id": 11,
    "eos_token_id": 0,
    "forced_eos_token_id": 0,
    "max_length": 512,
    "num_beams": 4,
    "pad_token_id": 11,
    "renormalize_logits": True,
    "transformers_version": "4.32.0.dev0",
}


def test_settings_of_published_folders_are_imported_without_a_warning(folder):
    expected = npf.interop.load(folder).model.state_dict()
    change_settings(folder, **PUBLISHED)
    found = npf.interop.load(folder)
    assert found.search.beam == 6
    assert all((found.model.state_dict()[name] == array).all() for name, array in expected.items())
    (folder / "generation_config.json").write_text(json.dumps(PUBLISHED_SEARCH))
    assert npf.interop.load(folder).search.beam == 4


@pytest.mark.parametrize("name", ["generation_config.json", "config.json"])
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (
            {"no_repeat_ngram_size": 3, "repetition_penalty": 1.2, "min_length": 0},
            "no_repeat_ngram_size = 3, repetition_penalty = 1.2: npformer does not follow this",
        ),
        ({"forced_bos_token_id": 0}, "forced_bos_token_id = 0: "),
        ({"bad_words_ids": [[11], [3]]}, "bad_words_ids = [[11], [3]]: "),
        ({"bad_words_ids": [[3]]}, "bad_words_ids = [[3]]: "),
        ({"eos_token_id": [0, 3]}, "eos_token_id = [0, 3]: "),
        ({"min_length": 2}, "min_length = 2: "),
        ({"do_sample": True}, "do_sample = True: "),
        ({"num_beam_groups": 2, "diversity_penalty": 0.5}, "diversity_penalty = 0.5, num_beam_gr"),
        ({"early_stopping": True}, "early_stopping = True: "),
    ],
    ids=str,
)
def test_search_settings_that_are_not_followed_are_named(
    folder, tmp_path, command, name, settings, named
):
    if name == "config.json":
        change_settings(folder, **settings)
    else:
        (folder / name).write_text(json.dumps(settings))
    status, out, err = command("import", folder, tmp_path / "run")
    assert status == 0
    assert "model   1+2 layers" in out
    assert err.count("\n") == 1
    assert f"{name}: {named}" in err


def test_start_of_generate_that_is_not_that_of_the_model_is_named(folder):
    (folder / "generation_config.json").write_text('{"decoder_start_token_id": 0}')
    with pytest.warns(UserWarning, match="decoder_start_token_id = 0: npformer does not follow"):
        npf.interop.load(folder)


def test_search_settings_with_which_generate_does_what_we_do_are_not_named(folder):
    settings = {
        "bad_words_ids": [[11]],
        "begin_suppress_tokens": [],
        "diversity_penalty": 0.0,
        "do_sample": False,
        "early_stopping": "never",
        "encoder_no_repeat_ngram_size": 0,
        "encoder_repetition_penalty": 1.0,
        "eos_token_id": [0],
        "forced_bos_token_id": None,
        "guidance_scale": 1.0,
        "min_length": 0,
        "min_new_tokens": 0,
        "no_repeat_ngram_size": 0,
        "num_beam_groups": 1,
        "penalty_alpha": 0.0,
        "repetition_penalty": 1.0,
        "suppress_tokens": [],
        "temperature": 0.7,
    }
    (folder / "generation_config.json").write_text(json.dumps(settings))
    npf.interop.load(folder)


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
