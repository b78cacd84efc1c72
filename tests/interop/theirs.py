"""Models of other programs as plain arrays under their names, and what they compute by slow
formulas.
"""

import json
import math
from typing import NamedTuple

import numpy as np
from safetensors.numpy import save_file

from npformer import slow_formulas as slow

D, F, HEADS, LAYERS = 8, 10, 2, {"encoder": 1, "decoder": 2}


class Names(NamedTuple):
    """What a program calls the parts of a layer."""

    stem: str
    attention: tuple[str, str]  # self-attention and cross-attention
    projections: tuple[str, ...]  # query, key, value and output
    feed_forward: tuple[str, str]
    # after self-attention, after cross-attention where there is one, at the end
    norms: dict[str, tuple[str, ...]]


NN = Names(
    "transformer.{}.layers.{}.",
    ("self_attn", "multihead_attn"),
    ("q_proj", "k_proj", "v_proj", "out_proj"),
    ("linear1", "linear2"),
    {"encoder": ("norm1", "norm2"), "decoder": ("norm1", "norm2", "norm3")},
)
JADORE_NORMS = ("slf_attn.layer_norm", "enc_attn.layer_norm", "pos_ffn.layer_norm")
JADORE = Names(
    "{}.layer_stack.{}.",
    ("slf_attn", "enc_attn"),
    ("w_qs", "w_ks", "w_vs", "fc"),
    ("pos_ffn.w_1", "pos_ffn.w_2"),
    {"encoder": JADORE_NORMS[::2], "decoder": JADORE_NORMS},
)
MARIAN_NORMS = ("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")
MARIAN = Names(
    "model.{}.layers.{}.",
    ("self_attn", "encoder_attn"),
    ("q_proj", "k_proj", "v_proj", "out_proj"),
    ("fc1", "fc2"),
    {"encoder": MARIAN_NORMS[::2], "decoder": MARIAN_NORMS},
)


def draw(names, rng, *, bias=True, d_k=D // HEADS, d_v=D // HEADS):
    """Return arrays of the layers, as large as those of a trained model."""
    arrays, widths = (
        {},
        dict.fromkeys(names.projections[:2], HEADS * d_k) | {names.projections[2]: HEADS * d_v},
    )

    def linear(name, d_in, d_out, bias=True):
        arrays[f"{name}.weight"] = rng.normal(0, 0.4, (d_out, d_in))
        if bias:
            arrays[f"{name}.bias"] = rng.normal(0, 0.4, d_out)

    for stack, n in LAYERS.items():
        for start in (names.stem.format(stack, i) for i in range(n)):
            for attention in names.attention[: 1 + (stack == "decoder")]:
                for projection, width in widths.items():
                    linear(f"{start}{attention}.{projection}", D, width, bias)
                linear(f"{start}{attention}.{names.projections[3]}", HEADS * d_v, D, bias)
            linear(start + names.feed_forward[0], D, F)
            linear(start + names.feed_forward[1], F, D)
            for norm in names.norms[stack]:
                arrays |= draw_norm(start + norm, rng)
    return {name: array.astype("float32") for name, array in arrays.items()}


def draw_norm(name, rng):
    """Return the arrays of a LayerNorm."""
    gain, bias = rng.normal(1, 0.3, D), rng.normal(0, 0.3, D)
    return {f"{name}.weight": gain.astype("float32"), f"{name}.bias": bias.astype("float32")}


def norm(arrays, name, x, eps):
    """Return their LayerNorm of x."""
    return slow.layer_norm(
        {"gain": arrays[f"{name}.weight"], "bias": arrays[f"{name}.bias"]}, x, eps
    )


def decode(names, arrays, x, y, *, eps, activation=lambda z: max(z, 0.0), pre=False, heads=HEADS):
    """Return what the layers make of embedded sources x (S, D) and targets y (T, D), without
    padding.
    """
    arrays = {name: array.astype("float64") for name, array in arrays.items()}

    def attention(name, x, memory, mask):
        weights = {}
        for ours, theirs in zip(
            ("w_query", "w_key", "w_value", "w_output"), names.projections, strict=True
        ):
            weight = arrays[f"{name}.{theirs}.weight"].T
            no_bias = np.zeros(weight.shape[1])
            weights[f"{ours}.weight"] = weight
            weights[f"{ours}.bias"] = arrays.get(f"{name}.{theirs}.bias", no_bias)
        return slow.multi_head(weights, heads, x, memory, mask)

    def feed_forward(start, x):
        first, second = (start + name for name in names.feed_forward)
        hidden = x @ arrays[f"{first}.weight"].T + arrays[f"{first}.bias"]
        hidden = np.vectorize(activation)(hidden)
        return hidden @ arrays[f"{second}.weight"].T + arrays[f"{second}.bias"]

    def stack(which, n, x, mask, memory=None):
        for start in (names.stem.format(which, i) for i in range(n)):
            parts = [lambda x, start=start: attention(start + names.attention[0], x, x, mask)]
            if memory is not None:
                seen = np.ones((len(x), len(memory)), bool)
                parts += [
                    lambda x, start=start, seen=seen: attention(
                        start + names.attention[1], x, memory, seen
                    )
                ]
            parts += [lambda x, start=start: feed_forward(start, x)]
            for part, name in zip(parts, names.norms[which], strict=True):
                around = start + name
                x = (
                    x + part(norm(arrays, around, x, eps))
                    if pre
                    else norm(arrays, around, x + part(x), eps)
                )
        last = f"{names.stem.partition('{}')[0]}{which}.norm"
        return norm(arrays, last, x, eps) if f"{last}.weight" in arrays else x

    n_layers = {
        which: len({n for n in range(9) if names.stem.format(which, n) in " ".join(arrays)})
        for which in LAYERS
    }
    memory = stack("encoder", n_layers["encoder"], x, np.ones((len(x), len(x)), bool))
    return stack("decoder", n_layers["decoder"], y, np.tri(len(y)) > 0, memory)


def stack_projections(arrays):
    """Return arrays with query, key and value in one, as nn.MultiheadAttention has them."""
    found = {
        name: array
        for name, array in arrays.items()
        if not any(f".{x}_proj." in name for x in "qkv")
    }
    for name in (name for name in arrays if ".q_proj." in name):
        parts = [arrays[name.replace(".q_proj.", f".{x}_proj.")] for x in "qkv"]
        found[name.replace(".q_proj.", ".in_proj_")] = np.concatenate(parts)
    return found


def split_projections(arrays):
    """Return arrays with query, key and value apart."""
    found = {name: array for name, array in arrays.items() if ".in_proj_" not in name}
    for name in (name for name in arrays if ".in_proj_" in name):
        for x, part in zip("qkv", np.split(arrays[name], 3), strict=True):
            found[name.replace(".in_proj_", f".{x}_proj.")] = part
    return found


def waves(length, halves=False):
    """Return sinusoids (length, D) with sines and cosines in turns, or in two halves as Marian
    has them.
    """
    order = [*range(0, D, 2), *range(1, D, 2)] if halves else range(D)
    return np.array(
        [[slow.position(pos, feature, D) for feature in order] for pos in range(length)]
    )


def logits_of_export(path, src, tgt):
    """Return the logits (T, V) that a file of `npformer export` describes, by its arrays and its
    note alone.
    """
    from safetensors import safe_open

    with safe_open(path, "numpy") as file:
        note = json.loads(file.metadata()["note"].partition(" ")[2])
        names = file.keys()
        arrays = split_projections(
            {name: file.get_tensor(name).astype("float64") for name in names}
        )
    built = note["transformer"]
    embedded = [
        arrays[f"{side}_embedding.weight"][ids] * note["embedding_scale"]
        + arrays[f"{side}_positions.weight"][: len(ids)]
        for side, ids in (("source", src), ("target", tgt))
    ]
    activation = {"relu": lambda z: max(z, 0.0), "gelu": slow.gelu, "silu": slow.silu}[
        built["activation"]
    ]
    how = {"eps": built["layer_norm_eps"], "pre": built["norm_first"], "heads": built["nhead"]}
    y = decode(NN, arrays, *embedded, activation=activation, **how)
    return y @ arrays["generator.weight"].T + arrays.get("generator.bias", 0)


def write_marian(folder, rng, *, sizes=(12, 12), share=True, tie_embeddings=True, **settings):
    """Write a folder as it is downloaded, with random weights and nothing in the .spm files;
    return all arrays.
    """
    arrays = draw(MARIAN, rng)
    tables = [rng.normal(0, 0.4, (size, D)).astype("float32") for size in (*sizes, sizes[1])]
    names = (
        ["model.shared"] if share else ["model.encoder.embed_tokens", "model.decoder.embed_tokens"]
    )
    names += [] if tie_embeddings else ["lm_head"]
    arrays |= {
        f"{name}.weight": table
        for name, table in zip(names, tables[-len(names) :] if share else tables, strict=False)
    }
    arrays["final_logits_bias"] = rng.normal(0, 0.4, (1, sizes[1])).astype("float32")
    save_file(arrays, folder / "model.safetensors")
    for file, size in zip(
        ["vocab.json", "target_vocab.json"], sizes[:1] if share else sizes, strict=False
    ):
        tokens = ["</s>", "<unk>", *"abcdefghijklmnop"[: size - 3], "<pad>"]
        (folder / file).write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(b"")
    config = dict(model_type="marian", activation_function="swish", scale_embedding=True, d_model=D)
    config |= {
        "share_encoder_decoder_embeddings": share,
        "tie_word_embeddings": tie_embeddings,
        "max_position_embeddings": 20,
    }
    for stack, n_layers in LAYERS.items():
        config |= {
            f"{stack}_layers": n_layers,
            f"{stack}_ffn_dim": F,
            f"{stack}_attention_heads": HEADS,
        }
    config |= {"decoder_start_token_id": sizes[1] - 1, "num_beams": 2, "length_penalty": 0.5}
    (folder / "config.json").write_text(json.dumps(config | settings))
    return arrays


def write_jadore(folder, rng, *, shared, same_embeddings=False, n_positions=(20, 20)):
    """Write a state dict and its tokens, <unk> first as torchtext has it; return all arrays."""
    arrays = draw(JADORE, rng, bias=False, d_k=5, d_v=3)
    table = rng.normal(0, 0.8, (12, D)).astype("float32")
    source, generator = (rng.normal(0, 0.8, (12, D)).astype("float32") for _ in range(2))
    arrays["encoder.src_word_emb.weight"] = table if same_embeddings else source
    arrays["decoder.trg_word_emb.weight"] = table
    arrays["trg_word_prj.weight"] = table if shared else generator
    for stack, length in zip(LAYERS, n_positions, strict=True):
        arrays |= draw_norm(f"{stack}.layer_norm", rng)
        arrays[f"{stack}.position_enc.pos_table"] = waves(length)[None].astype("float32")
    save_file(arrays, folder / "model.safetensors")
    (folder / "tokens.txt").write_text(
        "".join(f"{token}\n" for token in ["<unk>", "<blank>", "<s>", "</s>", *"abcdefgh"])
    )
    return arrays


def scaled(arrays, name, ids, scale=True):
    """Return embeddings of ids, times sqrt(D) or not."""
    return arrays[name].astype("float64")[ids] * (math.sqrt(D) if scale else 1)
