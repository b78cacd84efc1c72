"""Checkpoints of jadore801120/attention-is-all-you-need-pytorch."""

import math
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..decoding import Translator
from ..models import Transformer, TransformerConfig
from ..text import PAD
from ..text.vocabulary import UNITS
from ..utils import AnyPath, InputError, check_settings, prefix_errors, setting
from ..utils.files import read_bytes
from .name_mapping import (
    as_table,
    check_all_taken,
    check_rows,
    check_weights,
    count_layers,
    kind_of_positions,
    layer_names,
    take,
    take_layers,
    tie_of,
    weight_and_bias,
)
from .readers import read_arrays, read_torch, state_dict_of
from .vocabulary_files import FOLDED, LOWERCASE, ROLES, UNIT, permute, tokens_of_side, vocabulary_of_side

_PARTS = {"w_qs.": "w_query", "w_ks.": "w_key", "w_vs.": "w_value", "fc.": "w_output"}
_SELF = {f"slf_attn.{theirs}": f"sublayer.{ours}" for theirs, ours in _PARTS.items()} | {"slf_attn.layer_norm.": "norm"}
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
EMBEDDINGS = {"source": "encoder.src_word_emb.weight", "target": "decoder.trg_word_emb.weight"}
GENERATOR = "trg_word_prj.weight"
SCALES = ("emb", "prj", "none")
ALWAYS = {"attention_bias": False, "embedding_norm": True, "layer_norm_eps": 1e-6, "source_marks": "both"}
FIRST = b"encoder.layer_stack.0.slf_attn.w_qs"  # is in each of their files


@dataclass(frozen=True, kw_only=True)
class JadoreOptions:
    """What a checkpoint does not hold: the vocabularies; and what weights without settings do not hold."""

    source_vocabulary: str | None = setting(None, "file of source tokens, one per line in the order of their ids")
    target_vocabulary: str | None = setting(None, "file of target tokens", none_is="the source's")
    unit: str | None = setting(None, "what a token is", choices=UNITS, none_is=UNIT)
    lowercase: str | None = setting(None, "whose case is folded", choices=FOLDED, none_is=LOWERCASE)
    n_heads: int | None = setting(None, "attention heads", least=1, none_is="n_head of the settings with the weights")
    scale: str | None = setting(None, "their scale_emb_or_prj", choices=SCALES, none_is="that of the settings")

    def __post_init__(self):
        check_settings(self)


def is_jadore(path: Path) -> bool:
    """Tell whether a path is a file that names their layers; torch.save and safetensors both keep names as they are."""
    return path.is_file() and FIRST in read_bytes(path)


def load_jadore(source: AnyPath, **options) -> Translator:
    """Return the model of a checkpoint that their train.py saved, or of its state dict in a .safetensors file.

    `options` are those of `JadoreOptions`. Sources stand between <bos> and <eos>, as in their training.

    Raises `InputError` when the file is missing, damaged, or of another model, and for an option that is missing.
    """
    options = JadoreOptions(**options)
    sides = {side: tokens_of_side(side, options, "a checkpoint", {}, ROLES) for side in EMBEDDINGS}
    weights, settings = _read_checkpoint(Path(source))
    with prefix_errors(str(source)):
        for side, name in (("source", "src_pad_idx"), ("target", "trg_pad_idx")):
            row = int(sides[side].rows[PAD])
            if settings.get(name, row) != row:
                came = f"the settings have {settings[name]} as the id of padding, the {side} vocabulary has {row}"
                raise InputError(f"{came}: give the vocabulary that the model was trained with")
        n_heads = _agree("n_heads", options.n_heads, settings.get("n_head"))
        scale = _agree("scale", options.scale, settings.get("scale_emb_or_prj"))
        dropout = {"dropout": settings["dropout"]} if "dropout" in settings else {}
        found, config = _from_jadore(
            weights, *(s.rows for s in sides.values()), n_heads=n_heads, scale=scale, **dropout
        )
        model = Transformer(config, rng=0)
        model.load_state_dict(found)
    return Translator(model.eval(), *(vocabulary_of_side(side, tokens, options) for side, tokens in sides.items()))


def _from_jadore(
    weights: dict[str, np.ndarray],
    source_rows: np.ndarray,
    target_rows: np.ndarray,
    *,
    n_heads: int,
    scale: str,
    **more,
) -> tuple[dict[str, np.ndarray], TransformerConfig]:
    """Return the weights of their Transformer's state dict under our names, and the config that fits them.

    Row i of our tables is row `source_rows[i]` or `target_rows[i]` of theirs. `scale` is their scale_emb_or_prj, which
    matters where the generator shares the target's table E: "emb" is the paper's sqrt(d_model) E; with "prj" logits are
    x E^T / sqrt(d_model), so our table is E / sqrt(d_model) at both ends; with "none", or a table of its own, the
    embeddings alone are divided, because our model multiplies them. `more` are settings of the config.

    Raises `InputError` when an array is missing, has another shape, or is not part of such a model.
    """
    if scale not in SCALES:
        raise InputError(f"scale_emb_or_prj is {scale!r}: expected one of {', '.join(SCALES)}")
    check_weights(weights)
    weights = {name: array.astype(np.float32, copy=False) for name, array in weights.items()}
    layers = {stack: count_layers(weights, f"{stack}.layer_stack.") for stack in TABLE}
    config = _sizes(weights, layers, n_heads) | more
    names = layer_names(TABLE, layers, "{}.layer_stack.{}.", attention_bias=False)
    for stack in TABLE:
        names |= weight_and_bias(f"{stack}.layer_norm.", [f"{stack}.tokens.norm"])
    found = take_layers(weights, names)
    tables = []
    for name, rows in (
        (EMBEDDINGS["source"], source_rows),
        (EMBEDDINGS["target"], target_rows),
        (GENERATOR, target_rows),
    ):
        tables.append(take(weights, name))
        check_rows(name, tables[-1], rows)
    check_all_taken(weights)
    root, shared = np.float32(math.sqrt(config["d_model"])), np.array_equal(*tables[1:])
    embedded = np.float32(1) if shared and scale == "emb" else root
    source, target = permute(tables[0] / embedded, source_rows), permute(tables[1] / embedded, target_rows)
    generator = permute(tables[2] / (root if shared and scale == "prj" else np.float32(1)), target_rows)
    tie = tie_of(source, target, generator)
    found["encoder.tokens.embedding.table"] = source
    if tie != "all":
        found["decoder.tokens.embedding.table"] = target
    if tie == "none":
        found["generator.table"] = generator
    sizes = {"src_vocab_size": len(source_rows), "tgt_vocab_size": len(target_rows)}
    return found, TransformerConfig(**config, **sizes, **ALWAYS, tie=tie)


def _sizes(weights: dict[str, np.ndarray], layers: dict[str, int], n_heads: int) -> dict:
    """Return the settings that the shapes tell, and take the tables of positions out of `weights`."""
    lengths = []
    for stack in TABLE:
        table = as_table(positions := take(weights, f"{stack}.position_enc.pos_table"), positions.shape[-1])
        if table is None or kind_of_positions(table) != "sinusoidal":
            raise InputError(f"{stack}.position_enc.pos_table does not hold the sines and cosines of their code")
        lengths.append(len(table))
    widths = [len(weights.get(f"encoder.layer_stack.0.slf_attn.{name}.weight", ())) for name in ("w_qs", "w_vs")]
    if type(n_heads) is not int or n_heads < 1 or any(width % n_heads for width in widths):
        came = f"n_head is {n_heads!r}, and its queries and values are {widths[0]} and {widths[1]} wide"
        raise InputError(f"{came}: expected a number that divides both")
    return {
        "d_model": table.shape[1],
        "d_ff": len(weights.get("encoder.layer_stack.0.pos_ffn.w_1.weight", "?")),
        "n_heads": n_heads,
        "d_k": widths[0] // n_heads,
        "d_v": widths[1] // n_heads,
        "n_encoder_layers": layers["encoder"],
        "n_decoder_layers": layers["decoder"],
        "max_len": min(lengths),
    }


def _read_checkpoint(path: Path) -> tuple[dict[str, np.ndarray], dict]:
    """Return the weights of a checkpoint and its settings, {} where there are none."""
    if path.suffix == ".safetensors":
        return read_arrays(path), {}
    content = read_torch(path, allowed=(Namespace,))
    settings = content.get("settings", {}) if isinstance(content, dict) else {}
    settings = vars(settings) if isinstance(settings, Namespace) else settings
    if not isinstance(settings, dict):
        raise InputError(
            f"{path} has settings of the type {type(settings).__name__}: expected their train.py's options"
        )
    if settings and "scale_emb_or_prj" not in settings:
        why = "its settings have no scale_emb_or_prj, so an earlier version of the repository, which computed otherwise"
        raise InputError(f"{path} was saved by another train.py: {why}")
    return state_dict_of(content, path), settings


def _agree(name: str, option_value, theirs):
    """Return an option or the value of their settings. Raises `InputError` when neither is there, or they differ."""
    option = f"--{name.replace('_', '-')}"
    if option_value is None and theirs is None:
        raise InputError(f"there are no settings with the weights: give {option}")
    if None not in (option_value, theirs) and option_value != theirs:
        raise InputError(
            f"{option} {option_value} contradicts the settings with the weights, which have {theirs}: leave it out"
        )
    return theirs if option_value is None else option_value
