"""Models of GPT-2 as Hugging Face's GPT2LMHeadModel keeps them."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..models import LanguageModelConfig
from ..tasks import TextGenerator
from ..utils import AnyPath, InputError, Settings, prefix_errors, setting
from .convert_weights import as_floats, dtype_of, layer_names, take, take_layers, weight_and_bias
from .hugging_face import (
    build_generator,
    check_settings,
    read_given,
    read_vocabulary,
    read_weights,
)

OUR_ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}
TABLE = {
    "decoder": {
        "self_attention": {
            "ln_1.": "norm",
            "attn.c_attn.": "sublayer.w_query sublayer.w_key sublayer.w_value",
            "attn.c_proj.": "sublayer.w_output",
        },
        "feed_forward": {
            "ln_2.": "norm",
            "mlp.c_fc.": "sublayer.linear_1",
            "mlp.c_proj.": "sublayer.linear_2",
        },
    }
}
# in older files: which positions are seen, and the score of others
MASKS = re.compile(r"h\.\d+\.attn\.(masked_)?bias")
REQUIRED = {
    "add_cross_attention": False,
    "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True,
}


@dataclass(frozen=True, kw_only=True)
class GPT2Settings(Settings):
    """What is read from config.json, with the defaults of transformers."""

    vocab_size: int = setting(50257, least=1)
    n_positions: int = setting(1024, least=1)
    n_embd: int = setting(768, least=1)
    n_layer: int = setting(12, least=1)
    n_head: int = setting(12, least=1)
    n_inner: int | None = setting(None, least=1)
    activation_function: str = setting("gelu_new", choices=tuple(OUR_ACTIVATIONS))
    resid_pdrop: float = setting(0.1, least=0, below=1)
    embd_pdrop: float = setting(0.1, least=0, below=1)
    attn_pdrop: float = setting(0.1, least=0, below=1)
    layer_norm_epsilon: float = setting(1e-5, above=0, below=1)
    tie_word_embeddings: bool = setting(True)

    def __post_init__(self):
        super().__post_init__()
        if self.resid_pdrop != self.embd_pdrop:
            raise InputError(
                f"resid_pdrop = {self.resid_pdrop} and embd_pdrop = {self.embd_pdrop} differ: "
                "the models of npformer have one dropout, so give both one value in the file. "
                "It matters only when the model is trained"
            )


def load_gpt2(source: AnyPath) -> TextGenerator:
    """Return the model in a folder such as that of the model gpt2.

    The model computes what GPT2LMHeadModel computes, and its ids are the same.

    Raises `InputError` when a file is missing, damaged, or of a model that ours cannot be.

    Arguments:
        source: The folder as it is downloaded, with config.json, model.safetensors, and
            tokenizer.json or vocab.json with merges.txt.
    """
    folder = Path(source)
    path = folder / "config.json"
    settings = check_settings(path, read_given(path), GPT2Settings, REQUIRED)
    vocabulary = read_vocabulary(folder, settings.vocab_size, has_merges=True)
    weights = read_weights(folder)
    with prefix_errors(str(folder)):
        weights = _under_our_names(weights, is_tied=settings.tie_word_embeddings)
        config = LanguageModelConfig(
            vocab_size=settings.vocab_size,
            max_len=settings.n_positions,
            d_model=settings.n_embd,
            d_ff=settings.n_inner or 4 * settings.n_embd,
            n_heads=settings.n_head,
            n_decoder_layers=settings.n_layer,
            activation=OUR_ACTIVATIONS[settings.activation_function],
            dropout=settings.resid_pdrop,
            attention_dropout=settings.attn_pdrop,
            layer_norm_eps=settings.layer_norm_epsilon,
            tie_embeddings="all" if settings.tie_word_embeddings else "none",
            norm="pre",
            positions="learned",
            # not in tiles, whatever max_len is: people look at each step of it
            attention="plain",
            embedding_scale=1.0,
            pad_id=None,
            dtype=dtype_of(weights),
        )
        return build_generator(config, weights, vocabulary)


def _under_our_names(weights: dict[str, np.ndarray], *, is_tied: bool) -> dict[str, np.ndarray]:
    """Return all weights under our names."""
    theirs = {}
    for name, array in weights.items():
        # files of the model without its generator have shorter names
        name = name.removeprefix("transformer.")
        if MASKS.fullmatch(name):
            continue
        # their matrices are (in, out) as ours, and take_layers expects (out, in)
        theirs[name] = array.T if name.startswith("h.") else array
    theirs = as_floats(theirs)

    tables = {"decoder.input_embedding.positions.table": take(theirs, "wpe.weight")}
    # a shared matrix is in the file under one name, or under both
    shared_names = ["wte.weight", "lm_head.weight"] if is_tied else ["wte.weight"]
    tables["decoder.input_embedding.embedding.table"] = take(theirs, *shared_names)
    if not is_tied:
        tables["generator.table"] = take(theirs, "lm_head.weight")

    names = layer_names(TABLE, theirs, "h.")
    names.update(weight_and_bias("ln_f.", ["decoder.norm"]))
    return take_layers(theirs, names) | tables
