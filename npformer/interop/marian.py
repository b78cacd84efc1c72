"""Models of Marian as Hugging Face's MarianMTModel keeps them, such as Helsinki-NLP/opus-mt-en-de."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..decoding import Search, Translator
from ..models import Transformer, TransformerConfig
from ..text import SentencePieceVocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_bytes, read_json
from .name_mapping import check_all_taken, check_rows, check_weights, kind_of_positions, layer_names, take, take_layers
from .readers import read_arrays
from .vocabulary_files import NEVER, in_our_order, permute, read_tokens

_SELF = {f"self_attn.{name[0]}_proj.": f"sublayer.w_{name}" for name in ("query", "key", "value")}
_SELF |= {"self_attn.out_proj.": "sublayer.w_output", "self_attn_layer_norm.": "norm"}
_CROSS = {theirs.replace("self_attn", "encoder_attn"): ours for theirs, ours in _SELF.items()}
_FEED_FORWARD = {"fc1.": "sublayer.linear_1", "fc2.": "sublayer.linear_2", "final_layer_norm.": "norm"}
TABLE = {
    "encoder": {"self_attention": _SELF, "feed_forward": _FEED_FORWARD},
    "decoder": {"self_attention": _SELF, "cross_attention": _CROSS, "feed_forward": _FEED_FORWARD},
}
SHARED, SOURCE, TARGET = (f"model.{name}.weight" for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens"))
GENERATOR = "lm_head.weight"
ACTIVATIONS = {"swish": "silu", "silu": "silu", "relu": "relu", "gelu": "gelu"}
LAYER_NORM_EPS = 1e-5  # PyTorch's; Marian's settings do not have it
SPECIAL = {"pad": "<pad>", "unk": "<unk>", "bos": "", "eos": "</s>"}  # there is no <bos>
WHOLE_NUMBERS = (
    *("d_model", "max_position_embeddings", "decoder_start_token_id", "pad_token_id", "vocab_size", "eos_token_id"),
    *(f"{stack}_{what}" for stack in ("encoder", "decoder") for what in ("layers", "attention_heads", "ffn_dim")),
)
DEFAULTS = {
    **{"dropout": 0.1, "attention_dropout": 0.0, "scale_embedding": False, "decoder_vocab_size": None},
    **{"share_encoder_decoder_embeddings": True, "tie_word_embeddings": True},
}
POINTER = b"version https://git-lfs"


@dataclass(frozen=True)
class MarianOptions:
    """The options of an import of Marian: none, because its folder holds everything."""


def is_marian(path: Path) -> bool:
    """Tell whether a path is a folder as Hugging Face's libraries write them, of whatever model."""
    return (path / "config.json").is_file()


def load_marian(source: AnyPath) -> Translator:
    """Return the model in a folder as it is downloaded: config.json, weights, vocab.json, source.spm and target.spm.

    The weights are in model.safetensors, or in pytorch_model.bin, which torch reads. The model computes what
    MarianMTModel computes; its tables have their rows in another order, and one more for <bos>, which is never written.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.

    >>> load_marian("no/such/model")
    Traceback (most recent call last):
    npformer.utils.errors.InputError: no/such/model/config.json does not exist: check the name and the folder
    """
    folder = Path(source)
    settings = _read_settings(folder)
    separate = not settings["share_encoder_decoder_embeddings"] and (folder / "target_vocab.json").exists()
    source_side = _read_side(folder, settings, "source", "vocab.json", "vocab_size")
    target = ("target_vocab.json", "decoder_vocab_size") if separate else ("vocab.json", "vocab_size")
    sides = [source_side, _read_side(folder, settings, "target", *target)]
    rows = [rows for _, rows in sides]
    with prefix_errors(str(folder / "config.json")):
        config = _config(settings, *rows)
    paths = [folder / name for name in ("model.safetensors", "pytorch_model.bin")]
    path = next((_whole(path) for path in paths if path.exists()), None)
    if path is None:
        raise InputError(f"{folder} has no weights: bring model.safetensors or pytorch_model.bin into it")
    weights = read_arrays(path)
    with prefix_errors(str(path)):
        model = Transformer(config, rng=0)
        model.load_state_dict(_from_marian(weights, settings, config, *rows))
    translator = Translator(model.eval(), *(vocabulary for vocabulary, _ in sides))
    translator.search = _read_search(folder)
    return translator


def _from_marian(
    weights: dict[str, np.ndarray],
    settings: dict,
    config: TransformerConfig,
    source_rows: np.ndarray,
    target_rows: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the weights of a MarianMTModel's state dict under our names.

    Row i of our tables is row `source_rows[i]` or `target_rows[i]` of theirs. Raises `InputError` when an array is
    missing, has another shape, or is not part of such a model.
    """
    check_weights(weights)
    weights = {name: array.astype(np.float32, copy=False) for name, array in weights.items()}
    layers = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    found = take_layers(weights, layer_names(TABLE, layers, "model.{}.layers.{}."))
    source, target, generator = _take_tables(weights, settings)
    bias = take(weights, "final_logits_bias").reshape(-1)
    scale = np.float32(1 if settings["scale_embedding"] else 1 / math.sqrt(config.d_model))
    for name, table, rows in (
        (SOURCE, source, source_rows),
        (TARGET, target, target_rows),
        ("bias", bias, target_rows),
    ):
        check_rows(name, table, rows)
    found["encoder.tokens.embedding.table"] = permute(source * scale, source_rows)
    if config.tie != "all":
        found["decoder.tokens.embedding.table"] = permute(target * scale, target_rows)
    if config.tie == "none":
        found["generator.table"] = permute(generator, target_rows)
    found["generator.bias"] = permute(bias, target_rows, spare=NEVER)
    for stack in TABLE:
        table = weights.pop(f"model.{stack}.embed_positions.weight", None)
        if table is not None and (table.ndim != 2 or kind_of_positions(table) != "sinusoidal_halves"):
            raise InputError(f"the positions of its {stack} are not sines before cosines, as Marian's are")
    check_all_taken(weights)
    return found


def _take_tables(weights: dict[str, np.ndarray], settings: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Take the tables of source, target and generator out of `weights`, where shared tables have any of their names."""
    groups = [[SHARED, TARGET, SOURCE, GENERATOR]]  # the names that each table may have
    if not settings["share_encoder_decoder_embeddings"]:
        groups = [[SOURCE], *([[TARGET, GENERATOR]] if settings["tie_word_embeddings"] else [[TARGET], [GENERATOR]])]
    found = []
    for names in groups:
        first, *others = [name for name in names if name in weights] or names[:1]
        found.append(take(weights, first))
        for name in others:
            if not np.array_equal(found[-1], weights.pop(name)):
                raise InputError(f"{first} and {name} differ, and config.json says that they are one")
        if found[-1].ndim != 2:
            raise InputError(f"{first} has the shape {found[-1].shape}: expected (tokens, d_model)")
    weights.pop(SHARED, None)
    return found[0], found[min(1, len(found) - 1)], found[-1]


def _config(settings: dict, source_rows: np.ndarray, target_rows: np.ndarray) -> TransformerConfig:
    for ours, theirs in (("n_heads", "attention_heads"), ("d_ff", "ffn_dim")):
        both = [settings[f"{stack}_{theirs}"] for stack in ("encoder", "decoder")]
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
    shared, tied = settings["share_encoder_decoder_embeddings"], settings["tie_word_embeddings"]
    if shared and not tied:
        raise InputError("it shares its embeddings, and not its generator's table: which table is whose is not told")
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
        tie="none" if not (settings["scale_embedding"] and tied) else "all" if shared else "target",
        generator_bias=True,
        start_id=int(start[0]),
    )


def _read_settings(folder: Path) -> dict:
    """Return config.json with defaults. Raises `InputError` where one is missing or of another type."""
    path = folder / "config.json"
    settings = read_json(path)
    if (kind := settings.get("model_type")) != "marian":
        came = f"{path} is of a model of the type {kind!r}" if kind else f"{folder} is no such model"
        raise InputError(f"{came}: expected 'marian', as Helsinki-NLP/opus-mt-en-de has")
    if missing := [name for name in ("activation_function", *WHOLE_NUMBERS) if name not in settings]:
        raise InputError(f"{path} is damaged: it lacks {', '.join(missing)}")
    expected = {"activation_function": (str, "a text")} | dict.fromkeys(WHOLE_NUMBERS, (int, "an integer"))
    for name, default in DEFAULTS.items():
        expected[name] = (bool, "true or false") if type(default) is bool else ((int, float), "a number")
    for name in settings.keys() & expected.keys():
        value, (kind, words) = settings[name], expected[name]
        fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if not fits and not (name == "decoder_vocab_size" and value is None):
            raise InputError(f"{path} is damaged: its {name} is {value!r}, expected {words}")
    return DEFAULTS | settings


def _read_side(
    folder: Path, settings: dict, side: str, file: str, size: str
) -> tuple[SentencePieceVocabulary, np.ndarray]:
    """Return the vocabulary of a side, and the row of their tables of each of its tokens."""
    path, spm_path = folder / file, folder / f"{side}.spm"
    theirs = read_tokens(_whole(path))
    expected = settings[size] or settings["vocab_size"]
    if len(theirs) != expected:
        raise InputError(f"{path} has {len(theirs)} tokens, config.json says {expected}: they are of two models")
    with prefix_errors(str(path)):
        tokens = in_our_order(theirs, SPECIAL, ("pad", "unk", "eos"), "its")
    for role in ("pad", "eos"):
        if (given := settings[f"{role}_token_id"]) != (i := theirs.index(SPECIAL[role])):
            came = (
                f"{folder / 'config.json'} says that {given!r} is the id of {SPECIAL[role]}, {path.name} that it is {i}"
            )
            raise InputError(f"{came}: they are of two models")
    with prefix_errors(str(spm_path)):
        return SentencePieceVocabulary(tokens.tokens, read_bytes(_whole(spm_path))), tokens.rows


def _read_search(folder: Path) -> Search:
    """Return the beam and the exponent of the length that generation_config.json, or config.json, has."""
    own = folder / "generation_config.json"
    path = own if own.exists() else folder / "config.json"
    settings = read_json(path)
    given = {"beam": settings.get("num_beams"), "alpha": settings.get("length_penalty")}
    with prefix_errors(str(path)):
        known = {name: value for name, value in given.items() if value is not None}
        return Search(**{"beam": 4, "alpha": 1.0, "penalty": "length"} | known)


def _whole(path: Path) -> Path:
    """Return the path of a file. Raises `InputError` where it is only Git LFS's pointer."""
    if read_bytes(path)[: len(POINTER)] == POINTER:
        raise InputError(f"{path} is a pointer of Git LFS, not the file itself: run  git lfs pull  in its folder")
    return path
