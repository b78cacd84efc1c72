"""Small folders of GPT-2 and Llama with random weights, as Hugging Face keeps them, without its
library: python -m tests.interop.language_models gpt2 FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from npformer.text import ByteLevelVocabulary

TEXT = ["The old man sees a dog.", "The dog sleeps, and the old man sees the dog sleep."]
N_TOKENS = 300
GPT2 = {
    "model_type": "gpt2",
    "vocab_size": N_TOKENS,
    "n_positions": 64,
    "n_embd": 24,
    "n_head": 3,
    "n_inner": None,
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
}
LLAMA = {
    "model_type": "llama",
    "vocab_size": N_TOKENS,
    "max_position_embeddings": 64,
    "hidden_size": 24,
    "intermediate_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-5,
    "rope_theta": 500.0,
}


def draw(shapes, rng):
    """Return arrays of these shapes, with gains around 1."""
    arrays = {}
    for name, shape in shapes.items():
        array = rng.normal(0, 0.3, shape)
        if ("ln_" in name and name.endswith("weight")) or "norm" in name:
            array += 1
        arrays[name] = array.astype("float32")
    return arrays


def gpt2_arrays(rng, n_layers, d=24):
    shapes = {"wte.weight": (N_TOKENS, d), "wpe.weight": (64, d)}
    for start in [f"h.{i}." for i in range(n_layers)]:
        matrices = {
            "attn.c_attn": (d, 3 * d),
            "attn.c_proj": (d, d),
            "mlp.c_fc": (d, 4 * d),
            "mlp.c_proj": (4 * d, d),
        }
        for name, shape in matrices.items():
            shapes[f"{start}{name}.weight"] = shape
            shapes[f"{start}{name}.bias"] = shape[1:]
        for name in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"):
            shapes[start + name] = (d,)
    shapes["ln_f.weight"] = (d,)
    shapes["ln_f.bias"] = (d,)
    return draw({f"transformer.{name}": shape for name, shape in shapes.items()}, rng)


def llama_arrays(rng, d=24, d_ff=20, d_kv=8):
    shapes = {"model.embed_tokens.weight": (N_TOKENS, d), "model.norm.weight": (d,)}
    for start in ("model.layers.0.", "model.layers.1."):
        shapes |= {
            f"{start}input_layernorm.weight": (d,),
            f"{start}self_attn.q_proj.weight": (d, d),
            f"{start}self_attn.k_proj.weight": (d_kv, d),
            f"{start}self_attn.v_proj.weight": (d_kv, d),
            f"{start}self_attn.o_proj.weight": (d, d),
            f"{start}post_attention_layernorm.weight": (d,),
            f"{start}mlp.gate_proj.weight": (d_ff, d),
            f"{start}mlp.up_proj.weight": (d_ff, d),
            f"{start}mlp.down_proj.weight": (d, d_ff),
        }
    shapes["lm_head.weight"] = (N_TOKENS, d)
    return draw(shapes, rng)


def write_gpt2(folder, n_layers=2, **settings):
    """Write a folder with vocab.json and merges.txt."""
    vocabulary = ByteLevelVocabulary.build(TEXT * 2, size=N_TOKENS)
    # tokens that the text is too short for, such as those that a table is filled up with
    tokens = vocabulary.coded_tokens
    tokens += [f"<|{i}|>" for i in range(len(tokens), N_TOKENS)]
    folder.mkdir(parents=True, exist_ok=True)
    ids = {token: i for i, token in enumerate(tokens)}
    (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(merge) for merge in vocabulary.merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arrays = gpt2_arrays(np.random.default_rng(0), n_layers)
    save_file(arrays, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(GPT2 | {"n_layer": n_layers} | settings))


def write_llama(folder, **settings):
    """Write a folder without a tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(llama_arrays(np.random.default_rng(0)), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(LLAMA | settings))


WRITE = {"gpt2": write_gpt2, "llama": write_llama}

if __name__ == "__main__":
    # as many layers as the smallest GPT-2 has
    how = {"n_layers": 12} if sys.argv[1] == "gpt2" else {}
    WRITE[sys.argv[1]](Path(sys.argv[2]), **how)
