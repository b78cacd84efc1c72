"""The two columns of an nn.Transformer in a state dict: what they say of the model, and whether they are whole."""

import numpy as np

from ..base import InputError
from ..models import Transformer
from .nn_transformer import names_of, to_nn_transformer

BIASES = ("in_proj_bias", "out_proj.bias", "linear1.bias", "linear2.bias", "norm1.bias", "norm2.bias", "norm3.bias")
BIASES += ("coder.norm.bias",)
ATTENTION = BIASES[:2]
OTHER_KINDS = {
    "q_proj_weight": "keys or values of another width (kdim, vdim)",
    "bias_k": "a learned key and value (add_bias_kv)",
}


def columns_of(arrays: dict[str, np.ndarray], prefix: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the arrays of both columns, without the prefix of their names, and all others."""
    inside = {name for name in arrays if name.startswith((f"{prefix}encoder.layers.", f"{prefix}decoder.layers."))}
    inside |= {f"{prefix}{column}.norm.{kind}" for column in ("encoder", "decoder") for kind in ("weight", "bias")}
    columns = {name.removeprefix(prefix): array for name, array in arrays.items() if name in inside}
    return columns, {name: array for name, array in arrays.items() if name not in inside}


def settings_of_columns(columns: dict[str, np.ndarray], prefix: str) -> tuple[dict[str, np.ndarray], dict]:
    """Return the columns with a zero for each kind of bias that they do not have, and the settings that they show.

    Raises `InputError` when they are of a kind that our layers are not.
    """
    for ending, what in OTHER_KINDS.items():
        if odd := [name for name in columns if name.endswith(ending)]:
            raise InputError(f"{prefix}{odd[0]}: attention with {what} is none of ours, which is the paper's")
    norms = {f"{column}.norm.weight" in columns for column in ("encoder", "decoder")}
    if len(norms) == 2:
        raise InputError(
            f"{prefix}: one column alone ends in a LayerNorm, expected encoder.norm and decoder.norm, or none"
        )
    layers = {
        column: {name.split(".")[2] for name in columns if name.startswith(f"{column}.layers.")}
        for column in ("encoder", "decoder")
    }
    settings = {
        "d_model": len(columns["encoder.layers.0.norm1.weight"]),
        "d_ff": len(columns.get("encoder.layers.0.linear1.weight", "?")),
        "n_encoder_layers": len(layers["encoder"]),
        "n_decoder_layers": len(layers["decoder"]),
        "final_norm": norms.pop(),
        "attention_bias": any(name.endswith(ATTENTION) for name in columns),
    }
    found = dict(columns)
    for name in names_of(columns):
        kind = next((kind for kind in BIASES if name.endswith(kind)), None)
        weight = columns.get(name.removesuffix("bias") + "weight")
        if kind and weight is not None and not any(there.endswith(kind) for there in columns):
            found[name] = np.zeros(len(weight), weight.dtype)
    return found, settings


def check_columns(columns: dict[str, np.ndarray], model: Transformer, prefix: str) -> None:
    """Raise `InputError` unless the columns have the arrays of a model, of its shapes, and no others."""
    expected = {name: array.shape for name, array in to_nn_transformer(model.state_dict()).items()}
    if missing := sorted(expected.keys() - columns.keys()):
        raise InputError(
            f"these weights lack {prefix}{missing[0]}: the file is of another kind, or a part of it is missing"
        )
    if odd := sorted(columns.keys() - expected.keys()):
        raise InputError(f"no place is known for {prefix}{odd[0]}: it is no array of an nn.Transformer")
    for name, shape in expected.items():
        if columns[name].shape != shape:
            raise InputError(f"{prefix}{name} has the shape {columns[name].shape}: expected {shape}")
