"""Models of Marian as Hugging Face's MarianMTModel keeps them, such as Helsinki-NLP/opus-mt-en-de."""

import math
from pathlib import Path

import numpy as np

from ..decoding import BeamSearchConfig
from ..tasks import Translator
from ..text import SentencePieceVocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_bytes, read_json
from .convert_weights import (
    STACKS,
    Side,
    as_floats,
    build_translator,
    layer_names,
    take,
    take_layers,
)
from .import_vocabulary import in_our_order, read_tokens
from .readers import read_arrays

_SELF = {f"self_attn.{name[0]}_proj.": f"sublayer.w_{name}" for name in ("query", "key", "value")}
_SELF |= {"self_attn.out_proj.": "sublayer.w_output", "self_attn_layer_norm.": "norm"}
_CROSS = {theirs.replace("self_attn", "encoder_attn"): ours for theirs, ours in _SELF.items()}
_FEED_FORWARD = {
    "fc1.": "sublayer.linear_1",
    "fc2.": "sublayer.linear_2",
    "final_layer_norm.": "norm",
}
TABLE = {
    "encoder": {"self_attention": _SELF, "feed_forward": _FEED_FORWARD},
    "decoder": {"self_attention": _SELF, "cross_attention": _CROSS, "feed_forward": _FEED_FORWARD},
}
SHARED, SOURCE, TARGET = (
    f"model.{name}.weight" for name in ("shared", "encoder.embed_tokens", "decoder.embed_tokens")
)
STEM = "model.{}.layers."
GENERATOR = "lm_head.weight"
HEADS = ("encoder_attention_heads", "decoder_attention_heads")


def load_marian(source: AnyPath) -> Translator:
    """Return the model in a folder as it is downloaded: config.json, weights, vocab.json, source.spm and target.spm.

    The weights are in model.safetensors, or in pytorch_model.bin, which torch reads. The model computes what
    MarianMTModel computes; rows of its embedding matrices are in another order, and <bos> has one that is not used.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.
    """
    folder = Path(source)
    settings = _read_settings(folder / "config.json")
    sides = _read_side(folder, "source"), _read_side(folder, "target")
    path = folder / "model.safetensors"
    weights = read_arrays(path if path.exists() else folder / "pytorch_model.bin")
    with prefix_errors(str(folder)):
        weights = as_floats(weights)
        tables = _scaled_tables(weights, settings)
        for stack in STACKS:  # in older folders
            weights.pop(f"model.{stack}.embed_positions.weight", None)
        layers = take_layers(weights, layer_names(TABLE, weights, STEM))
        start = np.flatnonzero(sides[1].rows == settings.get("decoder_start_token_id"))
        if not len(start):
            raise InputError(
                "decoder_start_token_id in config.json is not the id of a token in the vocabulary"
            )
        translator = build_translator(
            layers,
            tables,
            sides,
            n_heads=settings.get(HEADS[0]),
            activation=str(settings.get("activation_function")).replace("swish", "silu"),
            layer_norm_eps=1e-5,  # PyTorch's; Marian's settings do not have it
            positions="sinusoidal_halves",
            max_len=settings.get("max_position_embeddings"),
            start_id=int(start[0]),
        )
    path = folder / "generation_config.json"
    search = read_json(path) if path.exists() else settings
    how = {"beam": search.get("num_beams", 4), "alpha": search.get("length_penalty", 1.0)}
    with prefix_errors(str(path)):
        translator.search = BeamSearchConfig(**how, penalty="length")
    return translator


def _scaled_tables(weights: dict[str, np.ndarray], settings: dict) -> dict[str, np.ndarray]:
    """Return their embedding matrices, to be multiplied by sqrt(d_model), the generator's, and its bias.

    A matrix that is shared is in the file under any of its names, or under all.
    """
    shared, tied = (
        settings.get(f"{name}_embeddings", True) for name in ("share_encoder_decoder", "tie_word")
    )
    last = (GENERATOR,) if tied else ()
    source = take(weights, *((SHARED, SOURCE, TARGET, *last) if shared else (SOURCE,)))
    target = source if shared else take(weights, TARGET, *last)
    generator = target if tied else take(weights, GENERATOR)
    bias = take(weights, "final_logits_bias").reshape(-1)
    divisor = 1 if settings.get("scale_embedding") else math.sqrt(source.shape[-1])
    return {
        "source": source / divisor,
        "target": target / divisor,
        "generator": generator,
        "bias": bias,
    }


def _read_settings(path: Path) -> dict:
    """Return the content of config.json. Raises `InputError` where it is not of a model that ours can be."""
    settings = read_json(path)
    if (kind := settings.get("model_type")) != "marian":
        raise InputError(
            f"{path} is of a model of the type {kind!r}: expected 'marian', as Helsinki-NLP/opus-mt-en-de"
        )
    if settings.get(HEADS[0]) != settings.get(HEADS[1]):
        raise InputError(
            f"{path}: {' and '.join(HEADS)} differ: our encoder and decoder have one number of heads"
        )
    return settings


def _read_side(folder: Path, side: str) -> Side:
    """Return the vocabulary of "source" or "target", which may have its own file, and the row of each of its tokens."""
    own, spm = folder / f"{side}_vocab.json", folder / f"{side}.spm"
    path = own if own.exists() else folder / "vocab.json"
    with prefix_errors(str(path)):
        tokens, rows = in_our_order(read_tokens(path)[0], ("pad", "unk", "eos"))
    with prefix_errors(str(spm)):
        return Side(SentencePieceVocabulary(tokens, read_bytes(spm)), rows)
