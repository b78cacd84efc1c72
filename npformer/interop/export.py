"""Our weights as a state dict for PyTorch: nn.Transformer, embeddings, positions and generator."""

import math
from pathlib import Path

import numpy as np

from ..backend import to_host
from ..models import Transformer
from ..text import EOS
from ..utils import AnyPath, InputError, save_tensors
from .nn_transformer import to_nn_transformer

NO_PLACE = {"d_word_vec": None, "neighbors": None, "embedding_norm": False}  # for any other value


def save_nn_transformer(model: Transformer, path: AnyPath) -> None:
    """Write a .safetensors file that a few lines of PyTorch make the same model of.

    Behind "transformer." stand the names of nn.Transformer. Beside it are `source_embedding.weight` and
    `target_embedding.weight` (V, D), to be multiplied by the note's `embedding_scale`; `source_positions.weight` and
    `target_positions.weight` (max_len, D), to be added; `generator.weight` (V, D) and, where there is one,
    `generator.bias`. The note says what nn.Transformer is built with, whether its columns end in a LayerNorm, which
    post-norm ones of ours do not, and the special ids.

    Raises `InputError` where nn.Transformer has no place for something, or the name does not end in .safetensors.
    """
    if Path(path).suffix != ".safetensors":
        raise InputError(f"{path}: expected a name that ends in .safetensors")
    save_tensors(path, exported(model), _note_of(model))


def exported(model: Transformer) -> dict[str, np.ndarray]:
    """Return the arrays of such a file. Raises `InputError` where nn.Transformer has no place for something."""
    config = model.config
    for name, none in NO_PLACE.items():
        if (value := getattr(config, name)) != none and not (name == "d_word_vec" and value == config.d_model):
            raise InputError(f"{name} = {value}: nn.Transformer has no place for it, so this model cannot be exported")
    columns = to_nn_transformer({name: to_host(array) for name, array in model.state_dict().items()})
    found = {f"transformer.{name}": array for name, array in columns.items()}
    for side, column in (("source", model.encoder), ("target", model.decoder)):
        table = column.tokens.positions.table
        found[f"{side}_embedding.weight"] = to_host(column.tokens.embedding.table.data)
        found[f"{side}_positions.weight"] = to_host(table.data if config.positions == "learned" else table)
    found["generator.weight"] = to_host(model.generator.table.data)
    if config.generator_bias:
        found["generator.bias"] = to_host(model.generator.bias.data)
    return found


def _note_of(model: Transformer) -> dict:
    """Return the settings that PyTorch needs."""
    config = model.config
    return {
        "transformer": {
            "d_model": config.d_model,
            "nhead": config.n_heads,
            "num_encoder_layers": config.n_encoder_layers,
            "num_decoder_layers": config.n_decoder_layers,
            "dim_feedforward": config.d_ff,
            "dropout": config.dropout,
            "activation": config.activation,
            "layer_norm_eps": config.layer_norm_eps,
            "norm_first": config.norm == "pre",
            "batch_first": True,
        },
        "final_norm": model.encoder.norm is not None,
        "embedding_scale": math.sqrt(config.d_model),
        "ids": {"pad": config.pad_id, "start": config.start_id, "end": EOS},
        "source_marks": config.source_marks,
    }
