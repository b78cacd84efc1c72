"""The two columns of an nn.Transformer in a state dict: what they say of the model, and whether they are whole."""

import re

import numpy as np

from ..models import Transformer
from ..utils import InputError
from .nn_transformer import array_names, to_nn_transformer

COLUMNS = ("encoder", "decoder")
BIASES_OF_ATTENTION = ("in_proj_bias", "out_proj.bias")
NORMS = ("norm1.bias", "norm2.bias", "norm3.bias", "coder.norm.bias")
BIASES = (*BIASES_OF_ATTENTION, "linear1.bias", "linear2.bias", *NORMS)
OTHER_KINDS = {
    "q_proj_weight": "keys or values of another width (kdim, vdim)",
    "bias_k": "a learned key and value (add_bias_kv)",
}


def columns_of(arrays: dict[str, np.ndarray], prefix: str) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return the arrays of both columns, without the prefix of their names, and all others."""
    inside = re.compile(re.escape(prefix) + r"(encoder|decoder)\.(layers\.\d+\..*|norm\.(weight|bias))")
    columns = {name.removeprefix(prefix): array for name, array in arrays.items() if inside.fullmatch(name)}
    return columns, {name: array for name, array in arrays.items() if not inside.fullmatch(name)}


def settings_of_columns(columns: dict[str, np.ndarray], prefix: str) -> dict:
    """Return the settings that the columns show. Raises `InputError` when they are of a kind that ours are not."""
    for name, array in columns.items():
        for ending, what in OTHER_KINDS.items():
            if name.endswith(ending):
                raise InputError(f"{prefix}{name}: attention with {what} is not supported: expected the paper's")
        if array.ndim not in (1, 2) or not array.size:
            raise InputError(f"{prefix}{name} has the shape {array.shape}: expected a matrix or a vector")
    norms = {f"{column}.norm.weight" in columns for column in COLUMNS}
    if len(norms) == 2:
        raise InputError(f"of {prefix}encoder.norm and {prefix}decoder.norm there is but one: expected both, or none")
    layers = [len({name.split(".")[2] for name in columns if name.startswith(f"{column}.l")}) for column in COLUMNS]
    return {
        "d_model": len(columns["encoder.layers.0.norm1.weight"]),
        "d_ff": len(columns.get("encoder.layers.0.linear1.weight", "?")),
        "n_encoder_layers": layers[0],
        "n_decoder_layers": layers[1],
        "final_norm": norms.pop(),
        "attention_bias": any(name.endswith(BIASES_OF_ATTENTION) for name in columns),
    }


def with_biases(columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the columns with zeros for each kind of bias that they have nowhere, as with bias=False."""
    found = dict(columns)
    for name in array_names(columns):
        kind = next((kind for kind in BIASES if name.endswith(kind)), None)
        weight = columns.get(name.removesuffix("bias") + "weight")
        if kind and weight is not None and not any(there.endswith(kind) for there in columns):
            found[name] = np.zeros(len(weight), weight.dtype)
    return found


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
