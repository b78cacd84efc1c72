"""Models of Marian as Hugging Face's MarianMTModel keeps them."""

import math
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..decoding import BeamSearchConfig
from ..models import TransformerConfig
from ..tasks import Translator
from ..text import EOS, PAD, SentencePieceVocabulary
from ..utils import AnyPath, InputError, Settings, prefix_errors, setting
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
from .hugging_face import check_settings, read_given, read_weights
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
OUR_ACTIVATIONS = {"swish": "silu", "silu": "silu", "gelu": "gelu", "relu": "relu"}
REQUIRED = {"is_encoder_decoder": True, "static_position_embeddings": True}
# settings of `generate` that our search does not have, each with the values that change nothing
NOT_FOLLOWED: dict[str, tuple] = {
    "begin_suppress_tokens": ([],),
    "constraints": (),
    "diversity_penalty": (0,),
    "do_sample": (False,),
    "early_stopping": (False, "never"),
    "encoder_no_repeat_ngram_size": (0,),
    "encoder_repetition_penalty": (1,),
    "exponential_decay_length_penalty": (),
    "force_words_ids": (),
    "forced_bos_token_id": (),
    "guidance_scale": (1,),
    "min_length": (0,),
    "min_new_tokens": (0,),
    "no_repeat_ngram_size": (0,),
    "num_beam_groups": (1,),
    "penalty_alpha": (0,),
    "repetition_penalty": (1,),
    "sequence_bias": (),
    "stop_strings": (),
    "suppress_tokens": ([],),
}
# settings in config.json, besides those of all models, that change none of the logits
HARMLESS = frozenset(
    # how it is trained
    "activation_dropout attention_dropout classif_dropout classifier_dropout decoder_layerdrop "
    "dropout encoder_layerdrop init_std "
    # sizes for a second time: the vocabularies and the weights show them
    "_num_labels decoder_vocab_size extra_pos_embeddings num_hidden_layers vocab_size "
    # the bias is always there
    "add_bias_logits "
    # how text is generated
    "bad_words_ids forced_eos_token_id renormalize_logits".split()
).union(NOT_FOLLOWED)


@dataclass(frozen=True, kw_only=True)
class MarianSettings(Settings):
    """What is read from config.json, with the defaults of transformers."""

    d_model: int = setting(1024, least=1)
    encoder_layers: int = setting(12, least=1)
    decoder_layers: int = setting(12, least=1)
    encoder_ffn_dim: int = setting(4096, least=1)
    decoder_ffn_dim: int = setting(4096, least=1)
    encoder_attention_heads: int = setting(16, least=1)
    decoder_attention_heads: int = setting(16, least=1)
    max_position_embeddings: int = setting(1024, least=1)
    activation_function: str = setting("gelu", choices=tuple(OUR_ACTIVATIONS))
    scale_embedding: bool = setting(False)
    share_encoder_decoder_embeddings: bool = setting(True)
    tie_word_embeddings: bool = setting(True)
    decoder_start_token_id: int = setting(58100, least=0)

    def __post_init__(self):
        super().__post_init__()
        if self.encoder_attention_heads != self.decoder_attention_heads:
            raise InputError(
                "encoder_attention_heads and decoder_attention_heads differ: "
                "our encoder and decoder have one number of heads"
            )


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
    config_path = folder / "config.json"
    given = read_given(config_path)
    settings = check_settings(config_path, given, MarianSettings, REQUIRED, HARMLESS)
    sides = (_read_side(folder, "source"), _read_side(folder, "target"))
    weights = read_weights(folder)
    with prefix_errors(str(folder)):
        translator = _build(as_floats(weights), settings, sides)

    # older folders have the settings of the search in config.json
    search_path = folder / "generation_config.json"
    if search_path.exists():
        translator.search = _read_search(search_path, read_given(search_path), settings, sides[1])
    else:
        translator.search = _read_search(config_path, given, settings, sides[1])
    return translator


def _build(
    weights: dict[str, np.ndarray], settings: MarianSettings, sides: tuple[Side, Side]
) -> Translator:
    """Return the Translator of their weights and settings."""
    tables = _scaled_tables(weights, settings)
    # older folders hold the sinusoids too, which our model computes
    for stack in STACKS:
        weights.pop(f"model.{stack}.embed_positions.weight", None)
    layers = take_layers(weights, layer_names(TABLE, weights, STEM))

    # the ids of special tokens move, so the row is looked up, not used as an id
    start = np.flatnonzero(sides[1].rows == settings.decoder_start_token_id)
    if not len(start):
        raise InputError(
            "decoder_start_token_id in config.json is not the id of a token in the vocabulary"
        )
    translator = build_translator(
        layers,
        tables,
        sides,
        n_heads=settings.encoder_attention_heads,
        activation=OUR_ACTIVATIONS[settings.activation_function],
        layer_norm_eps=1e-5,  # PyTorch's; Marian's settings do not have it
        positions="sinusoidal_concatenated",
        max_len=settings.max_position_embeddings,
        start_id=int(start[0]),
    )
    _check_sizes(settings, translator.model.config)
    return translator


def _check_sizes(settings: MarianSettings, config: TransformerConfig) -> None:
    """Raise `InputError` where the weights, which the config is of, have another size."""
    in_weights = {
        "encoder_layers": config.n_encoder_layers,
        "decoder_layers": config.n_decoder_layers,
        "d_model": config.d_model,
        "encoder_ffn_dim": config.d_ff,
        "decoder_ffn_dim": config.d_ff,
    }
    for name, size in in_weights.items():
        expected = getattr(settings, name)
        if size != expected:
            raise InputError(
                f"{name} = {expected} in config.json, and {size} by the arrays: a part of the "
                "weights is missing, or the files are of two models. Download the folder again"
            )


def _read_search(
    path: Path, search: dict[str, Any], settings: MarianSettings, target: Side
) -> BeamSearchConfig:
    """Return the settings of the search; a warning names those that are not followed."""
    # our search never chooses <pad>, ends at </s>, and begins as config.json says
    pad = int(target.rows[PAD])
    eos = int(target.rows[EOS])
    neutral = NOT_FOLLOWED | {
        "bad_words_ids": ([[pad]],),
        "eos_token_id": (eos, [eos]),
        "decoder_start_token_id": (settings.decoder_start_token_id,),
    }
    ignored = []
    for name, values in neutral.items():
        if name in search and search[name] not in values:
            ignored.append(f"{name} = {search[name]!r:.60}")
    if ignored:
        warnings.warn(
            f"{path}: {', '.join(ignored)}: npformer does not follow this, so translations can "
            "differ from those of generate in transformers",
            stacklevel=2,
        )

    # where they are not given, transformers takes these
    beam = search.get("num_beams", 1)
    alpha = search.get("length_penalty", 1.0)
    with prefix_errors(str(path)):
        return BeamSearchConfig(beam=beam, alpha=alpha, length_normalization="length")


def _scaled_tables(
    weights: dict[str, np.ndarray], settings: MarianSettings
) -> dict[str, np.ndarray]:
    """Return their embedding matrices, the generator's, and its bias.

    The embeddings are to be multiplied by sqrt(d_model). A matrix that is shared is in the file
    under any of its names, or under all.
    """
    is_tied = settings.tie_word_embeddings
    # a generator that is not tied must not be taken for an embedding matrix
    generator_names = [GENERATOR] if is_tied else []
    if settings.share_encoder_decoder_embeddings:
        source = take(weights, SHARED, SOURCE, TARGET, *generator_names)
        target = source
    else:
        source = take(weights, SOURCE)
        target = take(weights, TARGET, *generator_names)
    generator = target if is_tied else take(weights, GENERATOR)
    # (1, V) in the file
    bias = take(weights, "final_logits_bias").reshape(-1)

    # our model multiplies by sqrt(d_model), also where theirs does not
    divisor = 1 if settings.scale_embedding else math.sqrt(source.shape[-1])
    return {
        "source": source / divisor,
        "target": target / divisor,
        "generator": generator,
        "bias": bias,
    }


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
