"""Models of Marian as Hugging Face's MarianMTModel keeps them."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..decoding import BeamSearchConfig
from ..tasks import Translator
from ..text import SentencePieceVocabulary
from ..utils import AnyPath, InputError, prefix_errors
from ..utils.files import read_bytes
from .convert_weights import (
    STACKS,
    Side,
    as_floats,
    build_translator,
    layer_names,
    take,
    take_layers,
)
from .hugging_face import read_given, read_weights
from .import_vocabulary import in_our_order, read_tokens

_SELF = {
    "self_attn.q_proj.": "sublayer.w_query",
    "self_attn.k_proj.": "sublayer.w_key",
    "self_attn.v_proj.": "sublayer.w_value",
    "self_attn.out_proj.": "sublayer.w_output",
    "self_attn_layer_norm.": "norm",
}
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
STEM = "model.{}.layers."
SHARED = "model.shared.weight"
SOURCE = "model.encoder.embed_tokens.weight"
TARGET = "model.decoder.embed_tokens.weight"
GENERATOR = "lm_head.weight"
HEADS = ("encoder_attention_heads", "decoder_attention_heads")


def load_marian(source: AnyPath) -> Translator:
    """Return the model in a folder such as that of Helsinki-NLP/opus-mt-en-de.

    The model computes what MarianMTModel computes. Rows of its embedding matrices are in another
    order, and <bos> has one that is not used.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.

    Arguments:
        source: The folder as it is downloaded, with config.json, vocab.json, source.spm,
            target.spm, and the weights in model.safetensors or pytorch_model.bin.
    """
    folder = Path(source)
    settings = _read_settings(folder / "config.json")
    sides = (_read_side(folder, "source"), _read_side(folder, "target"))
    weights = read_weights(folder)
    with prefix_errors(str(folder)):
        translator = _build(as_floats(weights), settings, sides)
    translator.search = _read_search(folder / "generation_config.json", settings)
    return translator


def _build(
    weights: dict[str, np.ndarray], settings: dict[str, Any], sides: tuple[Side, Side]
) -> Translator:
    """Return the Translator of their weights and settings."""
    tables = _scaled_tables(weights, settings)
    # older folders hold the sinusoids too, which our model computes
    for stack in STACKS:
        weights.pop(f"model.{stack}.embed_positions.weight", None)
    layers = take_layers(weights, layer_names(TABLE, weights, STEM))

    # the ids of special tokens move, so the row is looked up, not used as an id
    start = np.flatnonzero(sides[1].rows == settings.get("decoder_start_token_id"))
    if not len(start):
        raise InputError(
            "decoder_start_token_id in config.json is not the id of a token in the vocabulary"
        )
    return build_translator(
        layers,
        tables,
        sides,
        n_heads=settings.get(HEADS[0]),
        # Hugging Face calls SiLU by its older name too
        activation=str(settings.get("activation_function")).replace("swish", "silu"),
        layer_norm_eps=1e-5,  # PyTorch's; Marian's settings do not have it
        positions="sinusoidal_concatenated",
        max_len=settings.get("max_position_embeddings"),
        start_id=int(start[0]),
    )


def _read_search(path: Path, settings: dict[str, Any]) -> BeamSearchConfig:
    """Return the settings of the search, which older folders have in config.json."""
    search = read_given(path) if path.exists() else settings
    # where they are not given, transformers takes these
    beam = search.get("num_beams", 1)
    alpha = search.get("length_penalty", 1.0)
    with prefix_errors(str(path)):
        return BeamSearchConfig(beam=beam, alpha=alpha, length_normalization="length")


def _scaled_tables(
    weights: dict[str, np.ndarray], settings: dict[str, Any]
) -> dict[str, np.ndarray]:
    """Return their embedding matrices, the generator's, and its bias.

    The embeddings are to be multiplied by sqrt(d_model). A matrix that is shared is in the file
    under any of its names, or under all.
    """
    is_shared = settings.get("share_encoder_decoder_embeddings", True)
    is_tied = settings.get("tie_word_embeddings", True)
    # a generator that is not tied must not be taken for an embedding matrix
    generator_names = [GENERATOR] if is_tied else []
    if is_shared:
        source = take(weights, SHARED, SOURCE, TARGET, *generator_names)
        target = source
    else:
        source = take(weights, SOURCE)
        target = take(weights, TARGET, *generator_names)
    generator = target if is_tied else take(weights, GENERATOR)
    # (1, V) in the file
    bias = take(weights, "final_logits_bias").reshape(-1)

    # our model multiplies by sqrt(d_model), also where theirs does not
    divisor = 1 if settings.get("scale_embedding") else math.sqrt(source.shape[-1])
    return {
        "source": source / divisor,
        "target": target / divisor,
        "generator": generator,
        "bias": bias,
    }


def _read_settings(path: Path) -> dict[str, Any]:
    """Return the content of config.json. Raises `InputError` where ours cannot be such a model."""
    settings = read_given(path)
    if settings.get(HEADS[0]) != settings.get(HEADS[1]):
        raise InputError(
            f"{path}: {' and '.join(HEADS)} differ: "
            "our encoder and decoder have one number of heads"
        )
    return settings


def _read_side(folder: Path, side: str) -> Side:
    """Return the vocabulary of "source" or "target", which may have a file of its own."""
    path = folder / f"{side}_vocab.json"
    if not path.exists():
        path = folder / "vocab.json"
    pieces_path = folder / f"{side}.spm"
    with prefix_errors(str(path)):
        tokens, rows = in_our_order(read_tokens(path)[0], ("pad", "unk", "eos"))
    with prefix_errors(str(pieces_path)):
        vocabulary = SentencePieceVocabulary(tokens, read_bytes(pieces_path))
    return Side(vocabulary, rows, str(path))
