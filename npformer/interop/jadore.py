"""Weights of jadore801120/attention-is-all-you-need-pytorch."""

import math
from dataclasses import dataclass

import numpy as np

from ..tasks import Translator
from ..utils import AnyPath, InputError, prefix_errors, setting
from .convert_weights import (
    STACKS,
    as_floats,
    build_translator,
    layer_names,
    take,
    take_layers,
    weight_and_bias,
)
from .import_vocabulary import USUAL, VocabularyOptions, read_side
from .readers import read_arrays

_PARTS = {"w_qs": "w_query", "w_ks": "w_key", "w_vs": "w_value", "fc": "w_output"}  # without biases
_SELF = {f"slf_attn.{theirs}.weight": f"sublayer.{ours}" for theirs, ours in _PARTS.items()}
_SELF |= {"slf_attn.layer_norm.": "norm"}
_CROSS = {theirs.replace("slf_attn", "enc_attn"): ours for theirs, ours in _SELF.items()}
_FEED_FORWARD = {f"pos_ffn.w_{i}.": f"sublayer.linear_{i}" for i in (1, 2)} | {
    "pos_ffn.layer_norm.": "norm"
}
TABLE = {
    "encoder": {"self_attention": _SELF, "feed_forward": _FEED_FORWARD},
    "decoder": {"self_attention": _SELF, "cross_attention": _CROSS, "feed_forward": _FEED_FORWARD},
}
EMBEDDINGS = {"source": "encoder.src_word_emb.weight", "target": "decoder.trg_word_emb.weight"}
STEM = "{}.layer_stack."
GENERATOR = "trg_word_prj.weight"


@dataclass(frozen=True, kw_only=True)
class JadoreOptions(VocabularyOptions):
    """What weights of jadore do not hold: two settings of its train.py, both required."""

    n_heads: int | None = setting(None, least=1)
    scale: str | None = setting(
        None, "jadore: its scale_emb_or_prj (required)", choices=("emb", "prj", "none")
    )


def load_jadore(source: AnyPath, **options) -> Translator:
    """Return the model whose state dict is in a .safetensors file or one of torch.save; `options`: `JadoreOptions`.

    Sources stand between <bos> and <eos>, as in their training. Raises `InputError` when the file is missing, damaged,
    or of another model, and for an option that is missing.
    """
    weights = read_arrays(source)
    with prefix_errors(str(source)):
        opts = JadoreOptions(**options)
        if opts.n_heads is None or opts.scale is None:
            raise InputError(
                "weights of jadore do not hold their settings: give --n-heads and --scale"
            )
        sides = tuple(read_side(side, vars(opts), USUAL) for side in EMBEDDINGS)
        weights = as_floats(weights)
        tables = _scaled_tables(weights, opts.scale)
        shapes = [
            take(weights, f"{stack}.position_enc.pos_table").shape for stack in STACKS
        ]  # of sinusoids
        if shapes[0] != shapes[1] or len(shapes[0]) != 3:
            came = f"position_enc.pos_table has the shapes {shapes[0]} and {shapes[1]}"
            raise InputError(
                f"{came}: expected one shape (1, length, d_model) in encoder and decoder"
            )
        names = layer_names(TABLE, weights, STEM)
        for stack in STACKS:
            names |= weight_and_bias(f"{stack}.layer_norm.", [f"{stack}.tokens.norm"])
        layers = take_layers(weights, names)
        settings = {
            "n_heads": opts.n_heads,
            "max_len": shapes[0][1],
            "layer_norm_eps": 1e-6,
            "source_marks": "both",
        }
        return build_translator(layers, tables, sides, **settings)


def _scaled_tables(weights: dict[str, np.ndarray], scale: str) -> dict[str, np.ndarray]:
    """Return their embedding matrices, to be multiplied by sqrt(d_model), and the generator's.

    `scale` matters where the generator shares the target's matrix E: "emb" is the paper's sqrt(d_model) E; with "prj"
    logits are x E^T / sqrt(d_model), so our matrix is E / sqrt(d_model) at both ends; with "none", or a generator of
    its own, the embeddings are not multiplied.
    """
    tables = {side: take(weights, name) for side, name in EMBEDDINGS.items()} | {
        "generator": take(weights, GENERATOR)
    }
    root, shared = (
        math.sqrt(tables["target"].shape[-1]),
        np.array_equal(tables["target"], tables["generator"]),
    )
    divided = {"emb": (), "prj": tuple(tables)}.get(
        scale if shared else "none", ("source", "target")
    )
    return tables | {name: tables[name] / root for name in divided}
