"""Weights of jadore801120/attention-is-all-you-need-pytorch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tasks import Translator
from ..utils import InputError, prefix_errors, setting
from .convert_weights import (
    STACKS,
    as_floats,
    build_translator,
    layer_names,
    take,
    take_layers,
    weight_and_bias,
)
from .import_options import VocabularyOptions
from .import_vocabulary import USUAL, read_side
from .readers import WeightsFile

_SELF = {  # maps without biases
    "slf_attn.w_qs.weight": "sublayer.w_query",
    "slf_attn.w_ks.weight": "sublayer.w_key",
    "slf_attn.w_vs.weight": "sublayer.w_value",
    "slf_attn.fc.weight": "sublayer.w_output",
    "slf_attn.layer_norm.": "norm",
}
_CROSS = {theirs.replace("slf_attn", "enc_attn"): ours for theirs, ours in _SELF.items()}
_FEED_FORWARD = {
    "pos_ffn.w_1.": "sublayer.linear_1",
    "pos_ffn.w_2.": "sublayer.linear_2",
    "pos_ffn.layer_norm.": "norm",
}
TABLE = {
    "encoder": {"self_attention": _SELF, "feed_forward": _FEED_FORWARD},
    "decoder": {"self_attention": _SELF, "cross_attention": _CROSS, "feed_forward": _FEED_FORWARD},
}
STEM = "{}.layer_stack."
SOURCE = "encoder.src_word_emb.weight"
TARGET = "decoder.trg_word_emb.weight"
GENERATOR = "trg_word_prj.weight"


@dataclass(frozen=True, kw_only=True)
class JadoreOptions(VocabularyOptions):
    """What weights of jadore do not hold: two settings of its train.py, both required."""

    n_heads: int | None = setting(None, least=1)
    scale: str | None = setting(
        None, "jadore: its scale_emb_or_prj (required)", choices=("emb", "prj", "none")
    )


def load_jadore(file: WeightsFile, **options: Any) -> Translator:
    """Return the model of a state dict.

    Sources are between <bos> and <eos>, as in their training. Raises `InputError` when the weights
    are of another model, and for an option that is missing.

    Arguments:
        file: The file.
        options: Those of `JadoreOptions`.
    """
    with prefix_errors(str(file.path)):
        return _from_state_dict(file.arrays, JadoreOptions(**options))


def _from_state_dict(weights: dict[str, np.ndarray], options: JadoreOptions) -> Translator:
    """Return the model of their weights."""
    if options.n_heads is None or options.scale is None:
        raise InputError("weights of jadore do not hold their settings: give --n-heads and --scale")
    sides = (read_side("source", options, USUAL), read_side("target", options, USUAL))
    weights = as_floats(weights)
    tables = _scaled_tables(weights, options.scale)
    max_len = _take_positions(weights)

    names = layer_names(TABLE, weights, STEM)
    for stack in STACKS:
        # their norm of a stack is before its first layer, not after the last
        names.update(weight_and_bias(f"{stack}.layer_norm.", [f"{stack}.input_embedding.norm"]))
    layers = take_layers(weights, names)
    return build_translator(
        layers,
        tables,
        sides,
        n_heads=options.n_heads,
        max_len=max_len,
        # written into each nn.LayerNorm of theirs
        layer_norm_eps=1e-6,
        source_special_tokens="both",
    )


def _take_positions(weights: dict[str, np.ndarray]) -> int:
    """Remove the sinusoids of both stacks, and return how many positions they have."""
    # ours computes the same sinusoids: only how many there are matters
    encoder = take(weights, "encoder.position_enc.pos_table").shape
    decoder = take(weights, "decoder.position_enc.pos_table").shape
    if encoder != decoder or len(encoder) != 3:
        raise InputError(
            f"position_enc.pos_table has the shapes {encoder} and {decoder}: "
            "expected one shape (1, length, d_model) in encoder and decoder"
        )
    return encoder[1]


def _scaled_tables(weights: dict[str, np.ndarray], scale: str) -> dict[str, np.ndarray]:
    """Return their embedding matrices, to be multiplied by sqrt(d_model), and the generator's.

    `scale` matters where the generator shares the target's matrix E: "emb" is the paper's
    sqrt(d_model) E; with "prj" logits are x E^T / sqrt(d_model), so our matrix is E / sqrt(d_model)
    at both ends; with "none", or a generator of its own, the embeddings are not multiplied.
    """
    source = take(weights, SOURCE)
    target = take(weights, TARGET)
    generator = take(weights, GENERATOR)
    root = math.sqrt(target.shape[-1])

    is_shared = np.array_equal(target, generator)
    if is_shared and scale == "emb":
        return {"source": source, "target": target, "generator": generator}
    if is_shared and scale == "prj":
        return {"source": source / root, "target": target / root, "generator": generator / root}
    return {"source": source / root, "target": target / root, "generator": generator}
