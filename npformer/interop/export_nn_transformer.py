"""Our weights as a state dict for PyTorch: nn.Transformer, embeddings, positions and generator."""

import math
from pathlib import Path
from typing import Any

from ..backend import to_host
from ..models import Transformer
from ..models.check_config import check_is_of_its_config
from ..text import EOS
from ..utils import AnyPath, InputError, save_tensors
from .nn_transformer_names import to_nn_transformer


def save_nn_transformer(model: Transformer, path: AnyPath) -> None:
    """Write a .safetensors file that a few lines of PyTorch make the same model of.

    The names of nn.Transformer begin with "transformer.". There are also

        source_embedding.weight and target_embedding.weight (V, D), to be multiplied by the
            note's `embedding_scale`
        source_positions.weight and target_positions.weight (max_len, D), to be added
        generator.weight (V, D), and generator.bias where there is one

    The note says what nn.Transformer is built with, whether its stacks end in a LayerNorm, which
    post-norm ones of ours do not, and the special ids.

    Raises `InputError` where nn.Transformer has no place for something, when the model has a layer
    or setting that its config does not say, or when the name does not end in .safetensors.

    Arguments:
        model: The model.
        path: The file.
    """
    if Path(path).suffix != ".safetensors":
        raise InputError(f"{path}: expected a name that ends in .safetensors")
    config = model.config
    if config.neighbors or config.embedding_norm:
        raise InputError(
            "nn.Transformer has no place for neighbors or embedding_norm: not exported"
        )
    check_is_of_its_config(model)

    weights = {name: to_host(array) for name, array in model.state_dict().items()}
    arrays = {}
    for name, array in to_nn_transformer(weights).items():
        arrays[f"transformer.{name}"] = array
    stacks: dict[str, Any] = {"source": model.encoder, "target": model.decoder}
    for side, stack in stacks.items():
        positions = stack.input_embedding.positions.table
        if config.positions == "learned":
            positions = positions.data
        arrays[f"{side}_embedding.weight"] = to_host(stack.input_embedding.embedding.table.data)
        arrays[f"{side}_positions.weight"] = to_host(positions)
    arrays["generator.weight"] = to_host(model.generator.table.data)
    if model.generator.bias is not None:
        arrays["generator.bias"] = to_host(model.generator.bias.data)
    save_tensors(path, arrays, _note_of(model))


def _note_of(model: Transformer) -> dict[str, Any]:
    """Return what is to be known of a model besides its weights."""
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
        "positions": config.positions,
        "final_norm": model.encoder.norm is not None,
        "embedding_scale": math.sqrt(config.d_model),
        "ids": {"pad": config.pad_id, "start": config.start_id, "end": EOS},
        "source_special_tokens": config.source_special_tokens,
    }
