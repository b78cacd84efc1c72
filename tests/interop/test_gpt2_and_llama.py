"""Folders of GPT-2 and Llama: what is refused, and the run folders that are made of the others."""

import json
import re

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import npformer as npf
from npformer.cli.standard_streams import STEERING
from npformer.interop.gpt2 import GPT2Settings
from npformer.interop.llama import LlamaSettings
from npformer.models import LanguageModelConfig
from npformer.tasks import LanguageModelBatch, Objective
from npformer.text import ByteLevelVocabulary, IdVocabulary

from .language_models import GPT2, LLAMA, TEXT, WRITE

PROMPTS = {"gpt2": "The old", "llama": "17 0 299"}
each = pytest.mark.parametrize("name", WRITE)
NO_TOKENIZER = "ignore:.* does not exist:UserWarning"
pytestmark = pytest.mark.filterwarnings(NO_TOKENIZER)


@pytest.fixture
def write(tmp_path):
    """Write a folder, and return it."""

    def write_(name, **settings):
        WRITE[name](tmp_path / name, **settings)
        return tmp_path / name

    return write_


def change_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    changed = change(weights)
    arrays = {name: np.ascontiguousarray(array) for name, array in changed.items()}
    save_file(arrays, folder / "model.safetensors")


# -- refused --

SETTINGS = [  # of a config.json, and what is said
    (
        "gpt2",
        {"scale_attn_weights": False},
        "config.json: scale_attn_weights = False: expected True, the",
    ),
    ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "by_inverse_layer_idx = True: expected F"),
    ("gpt2", {"add_cross_attention": True}, "add_cross_attention = True: expected False"),
    ("gpt2", {"activation_function": "quick_gelu"}, "'quick_gelu': expected one of gelu_new, "),
    ("gpt2", {"resid_pdrop": 0.0}, "resid_pdrop = 0.0 and embd_pdrop = 0.1 differ"),
    ("gpt2", {"n_embd": "24"}, "config.json: n_embd = '24': expected an integer >= 1"),
    ("gpt2", {"n_head": 5}, "n_heads = 5"),
    ("gpt2", {"n_layer": 3}, "weights do not fit this LanguageModel, such as decoder.layers.2"),
    ("gpt2", {"n_layer": 1}, "weights do not fit this LanguageModel, such as decoder.layers.1"),
    ("gpt2", {"n_inner": 95}, "got shape (96,), expected (95,)"),
    ("gpt2", {"n_positions": 63}, "got shape (64, 24), expected (63, 24)"),
    ("gpt2", {"vocab_size": 301}, "got shape (300, 24), expected (301, 24)"),
    ("gpt2", {"tie_word_embeddings": False}, "these weights lack lm_head.weight"),
    ("gpt2", {"tie_word_embeddings": "no"}, "tie_word_embeddings = 'no': expected True or False"),
    ("gpt2", {"pruned_heads": {"0": [1]}}, "pruned_heads = {'0': [1]} is not known to npformer"),
    ("gpt2", {"quantization_config": {"bits": 4}}, "quantization_config = {'bits': 4} is not kn"),
    ("gpt2", {"hidden_size": 24}, "hidden_size = 24 is not known to npformer"),
    ("gpt2", {"model_type": "gpt_neo"}, "type 'gpt_neo': expected 'marian', 'gpt2', 'llama'"),
    ("gpt2", {"model_type": ["gpt2"]}, "type ['gpt2']: expected 'marian', 'gpt2', 'llama'"),
    ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling = {'type': 'lin"),
    ("llama", {"rope_scaling": {"rope_type": "llama3"}}, "'llama3'}: expected the type 'default'"),
    ("llama", {"rope_scaling": 2.0}, "rope_scaling = 2.0: expected the type 'default'"),
    ("llama", {"rope_parameters": {"partial_rotary_factor": 0.5}}, "do not scale positions"),
    ("llama", {"rope_parameters": {"rope_theta": 0}}, "rotary_base = 0: expected a number above 0"),
    ("llama", {"sliding_window": 32}, "sliding_window = 32 is not known to npformer"),
    ("llama", {"hidden_act": "gelu"}, "hidden_act = 'gelu': expected one of silu, swish"),
    ("llama", {"num_key_value_heads": 4}, "n_heads = 6 is not divisible by n_kv_heads = 4"),
    ("llama", {"num_key_value_heads": 3}, "got shape (24, 8), expected (24, 12)"),
    ("llama", {"head_dim": 3}, "d_k = 3"),
    ("llama", {"head_dim": 6}, "got shape (24, 8), expected (24, 12)"),
    ("llama", {"attention_bias": True}, "lack model.layers.0.self_attn.q_proj.bias"),
    ("llama", {"mlp_bias": True}, "these weights lack model.layers.0.mlp.gate_proj.bias"),
    ("llama", {"mlp_bias": 1}, "mlp_bias = 1: expected True or False"),
    ("llama", {"tie_word_embeddings": True}, "embed_tokens.weight and lm_head.weight differ"),
]


@pytest.mark.parametrize(("name", "settings", "said"), SETTINGS, ids=str)
def test_settings_that_ours_cannot_have_are_refused(write, refused, tmp_path, name, settings, said):
    assert said in refused("import", write(name, **settings), tmp_path / "run").splitlines()[-1]
    assert not (tmp_path / "run").exists()


WEIGHTS = [
    ("gpt2", lambda a: a | {"score.weight": a["transformer.ln_f.bias"]}, "arrays score.weight (24"),
    ("gpt2", lambda a: without(a, "ln_f.bias"), "gpt2: these weights lack ln_f.bias"),
    ("gpt2", lambda a: without(a, "wpe.weight"), "these weights lack wpe.weight"),
    ("gpt2", lambda a: {"a": a["transformer.wte.weight"]}, "these weights lack wpe.weight"),
    ("gpt2", lambda a: {n: x for n, x in a.items() if ".h." not in n}, "these weights lack h.0"),
    (
        "gpt2",
        lambda a: a | {"lm_head.weight": a["transformer.wte.weight"] + 1},
        "wte.weight and lm_head.weight differ: expected one matrix",
    ),
    (
        "gpt2",
        lambda a: {n: x * np.float32("nan") if "wte" in n else x for n, x in a.items()},
        "wte.weight contains NaN or infinity",
    ),
    (
        "llama",
        lambda a: a | {"model.layers.0.self_attn.o_proj.bias": a["model.norm.weight"]},
        "unexpected arrays model.layers.0.self_attn.o_proj.bias (24,): remove those",
    ),
    ("llama", lambda a: without(a, "lm_head.weight"), "llama: these weights lack lm_head.weight"),
    (
        "llama",
        lambda a: {n: x.T if "down_proj" in n else x for n, x in a.items()},
        "got shape (24, 20), expected (20, 24)",
    ),
]


def without(arrays, ending):
    return {name: array for name, array in arrays.items() if not name.endswith(ending)}


@pytest.mark.parametrize(("name", "change", "said"), WEIGHTS)
def test_weights_that_do_not_fit_are_refused(write, refused, tmp_path, name, change, said):
    folder = write(name)
    change_weights(folder, change)
    assert said in refused("import", folder, tmp_path / "run").splitlines()[-1]


def test_o_proj_without_bias_among_others_with_one_is_refused(write, refused, tmp_path):
    def add_biases(arrays):
        for name in list(arrays):
            if name.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
                arrays[name.replace("weight", "bias")] = arrays[name][:, 0]
        return arrays

    folder = write("llama", attention_bias=True)
    change_weights(folder, add_biases)
    said = refused("import", folder, tmp_path / "run").splitlines()[-1]
    assert "these weights lack model.layers.0.self_attn.o_proj.bias" in said


def test_damaged_index_and_missing_shard_are_refused(write, refused, tmp_path):
    folder = write("gpt2")
    index = folder / "model.safetensors.index.json"
    index.write_text("{}")
    assert "json is damaged: it has no weight_map" in refused("import", folder, tmp_path / "run")
    index.write_text('{"weight_map": {"ln_f.bias": "model-2.safetensors"}}')
    assert "model-2.safetensors does not exist" in refused("import", folder, tmp_path / "run")


def test_folder_without_weights_is_refused(write, refused, tmp_path):
    folder = write("gpt2")
    (folder / "model.safetensors").unlink()
    line = refused("import", folder, tmp_path / "run").splitlines()[-1]
    assert f"{folder} has no weights: expected model.safetensors or pytorch_model.bin" in line


# -- accepted --

PUBLISHED = {  # settings of published models that change none of the logits
    "gpt2": {
        "architectures": ["GPT2LMHeadModel"],
        "bos_token_id": 50256,
        "n_ctx": 64,
        "initializer_range": 0.02,
        "summary_activation": None,
        "summary_first_dropout": 0.1,
        "summary_proj_to_labels": True,
        "summary_type": "cls_index",
        "summary_use_proj": True,
        "reorder_and_upcast_attn": True,
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
        "a_new_setting": None,
        "another_new_setting": False,
    },
    "llama": {
        "architectures": ["LlamaForCausalLM"],
        "bos_token_id": 1,
        "eos_token_id": [2, 3],
        "pretraining_tp": 2,
        "torch_dtype": "bfloat16",
        "transformers_version": "4.31.0.dev0",
        "use_cache": True,
        "rope_scaling": None,
    },
}


@each
def test_settings_without_effect_are_accepted(write, name):
    expected = npf.interop.load(write(name))
    found = npf.interop.load(write(name, **PUBLISHED[name]))
    ids = np.arange(10)[None]
    assert found.model.config == expected.model.config
    np.testing.assert_array_equal(found.model.forward(ids), expected.model.forward(ids))


GPT2_SETTINGS = {
    "n_layer": 2,
    "n_inner": 96,
    "activation_function": "silu",
    "resid_pdrop": 0.2,
    "embd_pdrop": 0.2,
    "attn_pdrop": 0.3,
    "layer_norm_epsilon": 0.25,
    "tie_word_embeddings": False,
}
LLAMA_SETTINGS = {
    "num_attention_heads": 3,
    "num_key_value_heads": 1,
    "head_dim": 8,
    "rms_norm_eps": 0.25,
    "rope_theta": 3.5,
    "hidden_act": "swish",
    "attention_bias": True,
    "mlp_bias": True,
    "attention_dropout": 0.3,
    "tie_word_embeddings": True,
}
OUR_CONFIGS = {
    "gpt2": LanguageModelConfig(
        vocab_size=300,
        max_len=64,
        d_model=24,
        d_ff=96,
        n_heads=3,
        n_decoder_layers=2,
        activation="silu",
        dropout=0.2,
        attention_dropout=0.3,
        layer_norm_eps=0.25,
        tie_embeddings="none",
        norm="pre",
        positions="learned",
        attention="plain",
        embedding_scale=1.0,
        pad_id=None,
        dtype="float64",
    ),
    "llama": LanguageModelConfig(
        vocab_size=300,
        max_len=64,
        d_model=24,
        d_ff=20,
        n_heads=3,
        n_kv_heads=1,
        d_k=8,
        d_v=8,
        n_decoder_layers=2,
        activation="swiglu",
        attention_bias=True,
        feed_forward_bias=True,
        dropout=0.0,
        attention_dropout=0.3,
        layer_norm_eps=0.25,
        rotary_base=3.5,
        rotary_pairs="halves",
        tie_embeddings="all",
        norm="rms",
        positions="rotary",
        attention="plain",
        embedding_scale=1.0,
        pad_id=None,
        dtype="float64",
    ),
}


def test_every_setting_of_gpt2_is_in_the_config(write):
    folder = write("gpt2", **GPT2_SETTINGS)

    def change(arrays):
        changed = {name: array.astype("float64") for name, array in arrays.items()}
        changed["lm_head.weight"] = changed["transformer.wte.weight"]
        return changed

    change_weights(folder, change)
    assert npf.interop.load(folder).model.config == OUR_CONFIGS["gpt2"]


def test_every_setting_of_llama_is_in_the_config(write):
    folder = write("llama", **LLAMA_SETTINGS)

    def change(arrays):
        changed = {}
        for name, array in without(arrays, "lm_head.weight").items():
            changed[name] = array.astype("float64")
            if name.endswith("_proj.weight"):
                changed[name.replace("weight", "bias")] = np.zeros(len(array))
        return changed

    change_weights(folder, change)
    assert npf.interop.load(folder).model.config == OUR_CONFIGS["llama"]


@pytest.mark.parametrize(
    ("settings_class", "settings"),
    [(GPT2Settings, GPT2 | GPT2_SETTINGS), (LlamaSettings, LLAMA | LLAMA_SETTINGS)],
)
def test_every_setting_of_these_files_is_not_the_default(settings_class, settings):
    for name, known in settings_class.declared().items():
        assert settings[name] != known.default, name


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("gelu_new", "gelu_tanh"),
        ("gelu_pytorch_tanh", "gelu_tanh"),
        ("gelu", "gelu"),
        ("relu", "relu"),
        ("swish", "silu"),
    ],
)
def test_activations_of_gpt2_have_our_names(write, theirs, ours):
    config = npf.interop.load(write("gpt2", activation_function=theirs)).model.config
    assert config.activation == ours


def test_newer_and_older_names_of_rotary_positions(write):
    configs = []
    for settings in (
        {"rope_theta": 3.5},
        {"rope_theta": None, "rope_parameters": {"rope_theta": 3.5, "rope_type": "default"}},
        {"rope_theta": None, "rope_scaling": {"rope_theta": 3.5, "type": "default"}},
    ):
        configs.append(npf.interop.load(write("llama", **settings)).model.config)
    assert configs[0].rotary_base == 3.5
    assert configs[0] == configs[1] == configs[2]
    default = npf.interop.load(write("llama", rope_theta=None)).model.config
    assert default.rotary_base == 10000.0


def test_names_without_prefix_and_with_masks_of_older_files(write):
    folder = write("gpt2")
    expected = npf.interop.load(folder).model.state_dict()

    def change(arrays):
        older = {name.removeprefix("transformer."): array for name, array in arrays.items()}
        older["h.0.attn.bias"] = np.tril(np.ones((1, 1, 64, 64), "uint8"))
        older["h.0.attn.masked_bias"] = np.array(-1e4, "float32")
        older["lm_head.weight"] = older["wte.weight"]
        return older

    change_weights(folder, change)
    found = npf.interop.load(folder).model.state_dict()
    assert found.keys() == expected.keys()
    assert all((array == found[name]).all() for name, array in expected.items())


def test_weights_that_ours_computes_and_a_second_file_are_not_read(write):
    folder = write("llama")
    expected = npf.interop.load(folder).model.state_dict()
    wavelengths = {"model.layers.0.self_attn.rotary_emb.inv_freq": np.ones(2, "float32")}
    change_weights(folder, lambda arrays: arrays | wavelengths)
    (folder / "pytorch_model.bin").write_bytes(b"not read")
    found = npf.interop.load(folder).model.state_dict()
    assert found.keys() == expected.keys()
    assert all((array == found[name]).all() for name, array in expected.items())


# -- tokens --


def test_gpt2_reads_and_writes_text(write):
    vocabulary = npf.interop.load(write("gpt2")).text
    assert isinstance(vocabulary, ByteLevelVocabulary)
    assert vocabulary.decode(vocabulary.encode(TEXT[1])) == TEXT[1]
    assert len(vocabulary.encode(TEXT[1])) < 20


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: (f / "merges.txt").unlink(), "merges.txt does not exist"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "it has no vocabulary of byte pairs"),
        (
            lambda f: (f / "vocab.json").write_text(
                json.dumps(json.loads((f / "vocab.json").read_text()) | {"more": 300})
            ),
            "vocab.json has 301 tokens, and the model has 300",
        ),
        (  # a matrix with spare rows
            lambda f: (f / "vocab.json").write_text(
                json.dumps(without(json.loads((f / "vocab.json").read_text()), "<|299|>"))
            ),
            "vocab.json has 299 tokens, and the model has 300",
        ),
    ],
)
def test_without_a_tokenizer_texts_are_ids_and_a_line_says_why(
    write, command, tmp_path, change, said
):
    folder = write("gpt2")
    change(folder)
    status, _, err = command("import", folder, tmp_path / "run")
    assert (status, err.count("\n")) == (0, 1)
    assert said in err and "So texts are ids, such as '12 345 6'" in err
    assert isinstance(npf.load(tmp_path / "run").text, IdVocabulary)


# -- run folders --


@each
def test_imported_run_can_be_used_by_all_verbs(write, command, tmp_path, name):
    run, prompt = tmp_path / "run", PROMPTS[name]
    status, out, err = command("import", write(name), run)
    n = npf.load(run).model.n_parameters
    d_ff, heads = (96, 3) if name == "gpt2" else (20, 6)
    assert (status, out.splitlines()) == (
        0,
        [
            f"model   2 layers, d_model 24, d_ff {d_ff}, {heads} heads, {n:,} parameters",
            "tokens  300 tokens",
            f"folder  {run}",
        ],
    )
    generator = npf.load(run)
    expected = (prompt + generator.generate(prompt, 5, temperature=0)).translate(STEERING)
    how = ["--max-new-tokens", "5", "--temperature", "0"]
    assert command("generate", run, prompt, *how) == (0, f"{expected}\n", "")

    text = tmp_path / "text.txt"
    text.write_text(TEXT[0] if name == "gpt2" else "1 2 3 4 5 6 7 8\n9 10 11\n")
    status, out, err = command("evaluate", run, "--text", text)
    assert (status, err) == (0, "") and "perplexity" in out
    picture, page = tmp_path / "a.png", tmp_path / "step.html"
    assert command("attend", run, prompt, "--out", picture) == (0, f"{picture}\n", "")
    only = "decoder.layers.1.self_attention"
    assert command("step", run, prompt, "--only", only, "--html", page) == (0, f"{page}\n", "")
    assert re.search("class=|<svg", page.read_text("utf-8"))


@each
def test_training_is_continued(write, name):
    generator = npf.interop.load(write(name))
    model = generator.model.train()
    objective = Objective(model)
    adam = npf.Adam(model.parameters(), lambda step: 1e-2)
    batch = LanguageModelBatch.collate([[5, 0, 7, 9, 0], [0, 1, 2]])
    losses = []
    for _ in range(20):
        losses.append(objective.forward(batch))
        objective.backward()
        adam.step()
        adam.zero_grad()
    assert losses[-1] < 0.5 * losses[0]
