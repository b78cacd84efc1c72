"""Which weights of jadore801120/attention-is-all-you-need-pytorch are which of ours."""

import math

import numpy as np

from ..models import TransformerConfig
from ..utils import InputError
from .extra_arrays import as_table, kind_of_positions
from .name_mapping import check_all_taken, check_rows, columns, n_layers, taken, taken_parts
from .vocabulary_files import permuted

PARTS = {"w_qs": "w_query", "w_ks": "w_key", "w_vs": "w_value", "fc": "w_output"}
SELF = {f"slf_attn.{theirs}": f"sublayer.{ours}" for theirs, ours in PARTS.items()} | {"slf_attn.layer_norm": "norm"}
CROSS = {theirs.replace("slf_attn", "enc_attn"): ours for theirs, ours in SELF.items()}
FEED_FORWARD = {"pos_ffn.w_1": "sublayer.linear_1", "pos_ffn.w_2": "sublayer.linear_2", "pos_ffn.layer_norm": "norm"}
BOXES = {
    "encoder": {"self_attention": SELF, "feed_forward": FEED_FORWARD},
    "decoder": {"self_attention": SELF, "cross_attention": CROSS, "feed_forward": FEED_FORWARD},
}
STEM = "{}.layer_stack.{}."
SCALES = ("emb", "prj", "none")
TABLES = {"source": "encoder.src_word_emb.weight", "target": "decoder.trg_word_emb.weight"}
GENERATOR = "trg_word_prj.weight"
ALWAYS = {"attention_bias": False, "embedding_norm": True, "layer_norm_eps": 1e-6, "source_marks": "both"}
FIRST = b"encoder.layer_stack.0.slf_attn.w_qs"  # is in each of their files


def from_jadore(
    weights: dict[str, np.ndarray],
    source_rows: np.ndarray,
    target_rows: np.ndarray,
    *,
    n_heads: int,
    scale: str,
    dropout: float = 0.1,
) -> tuple[dict[str, np.ndarray], TransformerConfig]:
    """Return the weights of their Transformer's state dict under our names, and the config that fits them.

    Row i of our tables is row `source_rows[i]` or `target_rows[i]` of theirs. `scale` is their scale_emb_or_prj, which
    counts where the generator shares the target's table E: "emb" is the paper's sqrt(d_model) E, as ours; "prj" has
    logits x E^T / sqrt(d_model), so that our table is E / sqrt(d_model) at both ends; with "none" or a table of its own
    the embeddings alone are divided, for ours multiply them.

    Raises `InputError` when an array is missing, is of another shape, or is none of such a model.
    """
    if scale not in SCALES:
        raise InputError(f"scale_emb_or_prj is {scale!r}: expected one of {', '.join(SCALES)}")
    weights = dict(weights)
    layers = {column: n_layers(weights, f"{column}.layer_stack.") for column in BOXES}
    config = {"n_heads": n_heads, "dropout": dropout} | settings_of(weights, layers, n_heads)
    found = columns(weights, BOXES, layers, STEM, attention_bias=False)
    for column in BOXES:
        found |= taken_parts(weights, f"{column}.layer_norm", f"{column}.tokens.norm")
    source, target, generator = (taken(weights, name) for name in (*TABLES.values(), GENERATOR))
    tables = {TABLES["source"]: (source, source_rows), TABLES["target"]: (target, target_rows)}
    for name, (table, rows) in (tables | {GENERATOR: (generator, target_rows)}).items():
        check_rows(name, table, rows)
    root, shared = np.float32(math.sqrt(config["d_model"])), np.array_equal(target, generator)
    embedded = np.float32(1) if shared and scale == "emb" else root
    source, target = permuted(source / embedded, source_rows), permuted(target / embedded, target_rows)
    generator = permuted(generator / (root if shared and scale == "prj" else np.float32(1)), target_rows)
    config["tie"] = tie_of(source, target, generator)
    found["encoder.tokens.embedding.table"] = source
    if config["tie"] != "all":
        found["decoder.tokens.embedding.table"] = target
    if config["tie"] == "none":
        found["generator.table"] = generator
    check_all_taken(weights)
    sizes = {"src_vocab_size": len(source_rows), "tgt_vocab_size": len(target_rows)}
    return found, TransformerConfig(**config, **sizes, **ALWAYS)


def tie_of(source: np.ndarray, target: np.ndarray, generator: np.ndarray) -> str:
    """Return which of our tables are one."""
    if not np.array_equal(target, generator):
        return "none"
    return "all" if np.array_equal(source, target) else "target"


def settings_of(weights: dict[str, np.ndarray], layers: dict[str, int], n_heads: int) -> dict:
    """Return the settings that the shapes of their arrays tell, and take the tables of positions out of `weights`."""
    lengths = []
    for column in BOXES:
        table = as_table(positions := taken(weights, f"{column}.position_enc.pos_table"), positions.shape[-1])
        if table is None or kind_of_positions(table) != "sinusoidal":
            raise InputError(f"{column}.position_enc.pos_table holds no sines and cosines, as theirs does")
        lengths.append(len(table))
    widths = [len(weights.get(f"encoder.layer_stack.0.slf_attn.{name}.weight", ())) for name in ("w_qs", "w_vs")]
    if type(n_heads) is not int or n_heads < 1 or any(width % n_heads for width in widths):
        came = f"n_head is {n_heads!r}, and its queries and values are {widths[0]} and {widths[1]} wide"
        raise InputError(f"{came}: expected a number that divides both")
    return {
        "d_model": table.shape[1],
        "d_ff": len(weights.get("encoder.layer_stack.0.pos_ffn.w_1.weight", "?")),
        "d_k": widths[0] // n_heads,
        "d_v": widths[1] // n_heads,
        "n_encoder_layers": layers["encoder"],
        "n_decoder_layers": layers["decoder"],
        "max_len": min(lengths),
    }
