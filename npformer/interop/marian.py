"""Models of Marian as Hugging Face's MarianMTModel keeps them, such as Helsinki-NLP/opus-mt-en-de."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..decoding import Translator
from ..models import Transformer, TransformerConfig, make_empty_model
from ..utils import AnyPath, InputError, prefix_errors
from .extra_arrays import kind_of_positions
from .marian_folder import MarianFolder
from .name_mapping import check_all_taken, check_rows, columns, taken
from .readers import read_arrays
from .vocabulary_files import NEVER, permuted

ACTIVATIONS = {"swish": "silu", "silu": "silu", "relu": "relu", "gelu": "gelu"}
LAYER_NORM_EPS = 1e-5  # PyTorch's, which Marian's settings do not tell

SELF = {
    f"self_attn.{their}_proj": f"sublayer.w_{own}" for their, own in zip("qkv", ("query", "key", "value"), strict=True)
}
SELF |= {"self_attn.out_proj": "sublayer.w_output", "self_attn_layer_norm": "norm"}
CROSS = {theirs.replace("self_attn", "encoder_attn"): ours for theirs, ours in SELF.items()}
SHARED, SOURCE, TARGET = (f"model.{name}.weight" for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"))
GENERATOR = "lm_head.weight"
FEED_FORWARD = {"fc1": "sublayer.linear_1", "fc2": "sublayer.linear_2", "final_layer_norm": "norm"}
BOXES = {
    "encoder": {"self_attention": SELF, "feed_forward": FEED_FORWARD},
    "decoder": {"self_attention": SELF, "cross_attention": CROSS, "feed_forward": FEED_FORWARD},
}


@dataclass(frozen=True)
class MarianOptions:
    """What must be said of a model of Marian: nothing, for its folder says it all."""


def is_marian(path: Path) -> bool:
    """Tell whether a path is a folder as Hugging Face's libraries write them, of whatever model."""
    return (path / "config.json").is_file()


def load_marian(source: AnyPath) -> Translator:
    """Return the model in a folder as it is downloaded: config.json, weights, vocab.json, source.spm and target.spm.

    The weights are in model.safetensors, or in pytorch_model.bin, which torch reads. The model computes what
    MarianMTModel computes; its tables have their rows in another order, and one more for <bos>, which is never written.
    `Translator.save` makes a run folder of it.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.
    """
    folder = MarianFolder(source)
    sides = folder.sides()
    with prefix_errors(str(folder.settings_path)):
        config = config_of(folder.settings, *(rows for _, rows in sides))
    weights_path = folder.weights_path()
    weights = read_arrays(weights_path)
    with prefix_errors(str(weights_path)):
        found = from_marian(weights, folder.settings, config, *(rows for _, rows in sides))
        model = make_empty_model(Transformer, config)
        model.load_state_dict(found)
    translator = Translator(model.eval(), *(vocabulary for vocabulary, _ in sides))
    translator.search = folder.search()
    return translator


def config_of(settings: dict, source_rows: np.ndarray, target_rows: np.ndarray) -> TransformerConfig:
    """Return our config of a model with their settings; rows say which row of theirs each token of ours is."""
    for ours, theirs in (("n_heads", "attention_heads"), ("d_ff", "ffn_dim")):
        both = [settings[f"{column}_{theirs}"] for column in ("encoder", "decoder")]
        if both[0] != both[1]:
            raise InputError(
                f"its encoder and decoder differ in {theirs}, {both[0]} and {both[1]}: ours have one {ours}"
            )
    activation = settings["activation_function"]
    if activation not in ACTIVATIONS:
        raise InputError(f"its activation_function is {activation!r}: expected one of {', '.join(ACTIVATIONS)}")
    start = np.flatnonzero(target_rows == settings["decoder_start_token_id"])
    if len(start) != 1:
        came = f"its decoder_start_token_id is {settings['decoder_start_token_id']}"
        raise InputError(f"{came}: expected the id of a token in the vocabulary")
    return TransformerConfig(
        src_vocab_size=len(source_rows),
        tgt_vocab_size=len(target_rows),
        d_model=settings["d_model"],
        d_ff=settings["encoder_ffn_dim"],
        n_heads=settings["encoder_attention_heads"],
        n_encoder_layers=settings["encoder_layers"],
        n_decoder_layers=settings["decoder_layers"],
        dropout=settings["dropout"],
        attention_dropout=settings["attention_dropout"],
        activation=ACTIVATIONS[activation],
        layer_norm_eps=LAYER_NORM_EPS,
        positions="sinusoidal_halves",
        max_len=settings["max_position_embeddings"],
        tie=tie_of(settings),
        generator_bias=True,
        start_id=int(start[0]),
    )


def tie_of(settings: dict) -> str:
    """Return which tables are one. Where they do not scale their embeddings, ours must, and the generator's differs."""
    shared, tied = settings["share_encoder_decoder_embeddings"], settings["tie_word_embeddings"]
    if shared and not tied:
        raise InputError("it shares its embeddings, and not its generator's table: which table is whose is not told")
    return "none" if not (settings["scale_embedding"] and tied) else "all" if shared else "target"


def from_marian(
    weights: dict[str, np.ndarray],
    settings: dict,
    config: TransformerConfig,
    source_rows: np.ndarray,
    target_rows: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the weights of a MarianMTModel's state dict under our names.

    Row i of our tables is row `source_rows[i]` or `target_rows[i]` of theirs. Raises `InputError` when an array is
    missing, is of another shape, or is none of such a model.
    """
    weights = dict(weights)
    layers = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    found = columns(weights, BOXES, layers, "model.{}.layers.{}.")
    source, target, generator = tables(weights, settings)
    bias = taken(weights, "final_logits_bias").reshape(-1)
    scale = np.float32(1 if settings["scale_embedding"] else 1 / math.sqrt(config.d_model))
    for name, table, rows in (
        (SOURCE, source, source_rows),
        (TARGET, target, target_rows),
        ("final_logits_bias", bias, target_rows),
    ):
        check_rows(name, table, rows)
    found["encoder.tokens.embedding.table"] = permuted(source * scale, source_rows)
    if config.tie != "all":
        found["decoder.tokens.embedding.table"] = permuted(target * scale, target_rows)
    if config.tie == "none":
        found["generator.table"] = permuted(generator, target_rows)
    found["generator.bias"] = permuted(bias, target_rows, spare=NEVER)
    check_positions(weights)
    check_all_taken(weights)
    return found


def tables(weights: dict[str, np.ndarray], settings: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take the tables of source, target and generator out of `weights`, by whichever name those that are one have."""
    groups = [[SHARED, TARGET, SOURCE, GENERATOR]]  # of each table the names that it may have
    if not settings["share_encoder_decoder_embeddings"]:
        groups = [[SOURCE], *([[TARGET, GENERATOR]] if settings["tie_word_embeddings"] else [[TARGET], [GENERATOR]])]
    found = []
    for names in groups:
        there = [name for name in names if name in weights] or names
        first = weights.get(there[0])
        found.append(taken(weights, there[0]))
        for name in there[1:]:
            if not np.array_equal(first, weights[name]):
                raise InputError(f"{there[0]} and {name} differ, and config.json says that they are one")
            del weights[name]
        if found[-1].ndim != 2:
            raise InputError(f"{there[0]} came with shape {found[-1].shape}: expected (tokens, d_model)")
    weights.pop(SHARED, None)
    return found[0], found[min(1, len(found) - 1)], found[-1]


def check_positions(weights: dict[str, np.ndarray]) -> None:
    """Take stored positions out of `weights`. Raises `InputError` unless they are sines and cosines in halves."""
    for column in BOXES:
        table = weights.pop(f"model.{column}.embed_positions.weight", None)
        if table is not None and (table.ndim != 2 or kind_of_positions(table) != "sinusoidal_halves"):
            raise InputError(f"the positions of its {column} are no sines and cosines in halves, as Marian's are")
