"""Models of Llama as Hugging Face's LlamaForCausalLM keeps them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..models import LanguageModelConfig
from ..tasks import TextGenerator
from ..utils import AnyPath, InputError, Settings, prefix_errors, setting
from .convert_weights import Table, as_floats, dtype_of, layer_names, take, take_layers
from .hugging_face import (
    build_generator,
    check_settings,
    read_given,
    read_vocabulary,
    read_weights,
)

STEM = "model.layers."


@dataclass(frozen=True, kw_only=True)
class LlamaSettings(Settings):
    """What is read from config.json, with the defaults of transformers."""

    vocab_size: int = setting(32000, least=1)
    max_position_embeddings: int = setting(2048, least=1)
    hidden_size: int = setting(4096, least=1)
    intermediate_size: int = setting(11008, least=1)
    num_hidden_layers: int = setting(32, least=1)
    num_attention_heads: int = setting(32, least=1)
    num_key_value_heads: int | None = setting(None, least=1)
    head_dim: int | None = setting(None, least=1)
    rms_norm_eps: float = setting(1e-6, above=0, below=1)
    hidden_act: str = setting("silu", choices=("silu", "swish"))
    attention_bias: bool = setting(False)
    mlp_bias: bool = setting(False)
    attention_dropout: float = setting(0.0, least=0, below=1)
    tie_word_embeddings: bool = setting(False)


def load_llama(source: AnyPath) -> TextGenerator:
    """Return the model in a folder such as that of Llama 2.

    The model computes what LlamaForCausalLM computes. Its texts are ids as text, unless its
    tokenizer splits text as that of GPT-2.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.

    Arguments:
        source: The folder as it is downloaded, with config.json, and weights in model.safetensors
            or in the files that model.safetensors.index.json names.
    """
    folder = Path(source)
    path = folder / "config.json"
    given = read_given(path)
    rotary_base = _take_rotary_base(path, given)
    settings = check_settings(path, given, LlamaSettings)
    vocabulary = read_vocabulary(folder, settings.vocab_size, has_merges=False)
    weights = read_weights(folder)
    n_kv_heads = settings.num_key_value_heads
    if n_kv_heads == settings.num_attention_heads:
        n_kv_heads = None
    with prefix_errors(str(folder)):
        weights = _under_our_names(weights, settings)
        config = LanguageModelConfig(
            vocab_size=settings.vocab_size,
            max_len=settings.max_position_embeddings,
            d_model=settings.hidden_size,
            d_ff=settings.intermediate_size,
            n_heads=settings.num_attention_heads,
            n_kv_heads=n_kv_heads,
            d_k=settings.head_dim,
            d_v=settings.head_dim,
            n_decoder_layers=settings.num_hidden_layers,
            dropout=0.0,
            attention_dropout=settings.attention_dropout,
            attention_bias=settings.attention_bias,
            feed_forward_bias=settings.mlp_bias,
            layer_norm_eps=settings.rms_norm_eps,
            rotary_base=rotary_base,
            tie_embeddings="all" if settings.tie_word_embeddings else "none",
            norm="rms",
            activation="swiglu",
            positions="rotary",
            rotary_pairs="halves",
            # not in tiles, whatever max_len is: people look at each step of it
            attention="plain",
            embedding_scale=1.0,
            pad_id=None,
            dtype=dtype_of(weights),
        )
        return build_generator(config, weights, vocabulary)


def _take_rotary_base(path: Path, given: dict[str, Any]) -> float:
    """Remove the settings of rotary positions, and return the base of their wavelengths.

    Raises `InputError` for positions that are scaled for longer texts.
    """
    base = given.pop("rope_theta", 10000.0)
    # newer files have all of them under the second name
    for name in ("rope_scaling", "rope_parameters"):
        rotary = given.pop(name, {})
        if not isinstance(rotary, dict) or not _is_default(rotary):
            raise InputError(
                f"{path}: {name} = {rotary!r:.80}: expected the type 'default', "
                "the models of npformer do not scale positions"
            )
        base = rotary.get("rope_theta", base)
    return base


def _is_default(rotary: dict[str, Any]) -> bool:
    """Tell whether these are rotary positions with a base and nothing more."""
    for name, value in rotary.items():
        # the name "type" is older
        if name in ("rope_type", "type"):
            if value != "default":
                return False
        elif name != "rope_theta":
            return False
    return True


def _under_our_names(
    weights: dict[str, np.ndarray], settings: LlamaSettings
) -> dict[str, np.ndarray]:
    """Return all weights under our names."""
    theirs = {}
    for name, array in weights.items():
        # in older files: the wavelengths, which ours computes
        if not name.endswith("rotary_emb.inv_freq"):
            theirs[name] = array
    theirs = as_floats(theirs)

    tables = {}
    # a shared matrix is in the file under one name, or under both
    shared_names = ["model.embed_tokens.weight"]
    if settings.tie_word_embeddings:
        shared_names.append("lm_head.weight")
    tables["decoder.input_embedding.embedding.table"] = take(theirs, *shared_names)
    if not settings.tie_word_embeddings:
        tables["generator.table"] = take(theirs, "lm_head.weight")

    names = layer_names(_table(settings), theirs, STEM)
    names["model.norm.weight"] = ["decoder.norm.gain"]
    return take_layers(theirs, names) | tables


def _table(settings: LlamaSettings) -> Table:
    """Return their names of the parts of a layer, and ours."""
    # the prefix of a weight and its bias ends with a dot; the name of a weight alone does not
    attention = "" if settings.attention_bias else "weight"
    network = "" if settings.mlp_bias else "weight"
    return {
        "decoder": {
            "self_attention": {
                "input_layernorm.weight": "norm",
                f"self_attn.q_proj.{attention}": "sublayer.w_query",
                f"self_attn.k_proj.{attention}": "sublayer.w_key",
                f"self_attn.v_proj.{attention}": "sublayer.w_value",
                f"self_attn.o_proj.{attention}": "sublayer.w_output",
            },
            "feed_forward": {
                "post_attention_layernorm.weight": "norm",
                f"mlp.gate_proj.{network}": "sublayer.gate",
                f"mlp.up_proj.{network}": "sublayer.linear_1",
                f"mlp.down_proj.{network}": "sublayer.linear_2",
            },
        }
    }
