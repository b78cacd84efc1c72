"""Weights of PyTorch's nn.Transformer under our names, and ours under its names."""

import numpy as np

from ..utils import InputError
from .convert_weights import STACKS, layer_names, take, take_layers, weight_and_bias

_SELF = {
    "self_attn.in_proj_": "sublayer.w_query sublayer.w_key sublayer.w_value",
    "self_attn.out_proj.": "sublayer.w_output",
}
_CROSS = {theirs.replace("self_attn", "multihead_attn"): ours for theirs, ours in _SELF.items()}
_LINEAR = {"linear1.": "sublayer.linear_1", "linear2.": "sublayer.linear_2"}
TABLE = {
    "encoder": {
        "self_attention": {**_SELF, "norm1.": "norm"},
        "feed_forward": {**_LINEAR, "norm2.": "norm"},
    },
    "decoder": {
        "self_attention": {**_SELF, "norm1.": "norm"},
        "cross_attention": {**_CROSS, "norm2.": "norm"},
        "feed_forward": {**_LINEAR, "norm3.": "norm"},
    },
}


def to_nn_transformer(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the layers' weights of a Transformer's state dict under nn.Transformer's names.

    Embeddings, positions and generator are not part of nn.Transformer and are left out. Where
    attention has no biases they become zeros. Raises `InputError` where d_k or d_v is not
    d_model / n_heads, and when an array is missing.

    >>> from npformer import Transformer, TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9)
    >>> theirs = to_nn_transformer(Transformer(config, rng=0).state_dict())
    >>> theirs["decoder.layers.1.self_attn.in_proj_weight"].shape, len(theirs)
    ((192, 64), 60)
    """
    weights = _with_biases(weights)
    left = dict(weights)
    arrays = {}
    for theirs, ours in _names(weights).items():
        parts = [take(left, name).T for name in ours]
        widths = {part.shape[0] for part in parts}
        # nn.MultiheadAttention stacks square matrices (D, D) in one array
        if "attn" in theirs and widths != {parts[0].shape[-1]}:
            raise InputError(
                f"{theirs}: nn.Transformer has d_k = d_v = d_model / n_heads, "
                "and these weights do not"
            )
        arrays[theirs] = np.concatenate(parts)
    return arrays


def _with_biases(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return weights with biases of zeros in attention, where it has none."""
    zeros = {}
    for name, x in weights.items():
        if ".w_" in name and name.endswith("weight"):
            bias = name.removesuffix("weight") + "bias"
            if bias in weights:
                return weights
            zeros[bias] = np.zeros(x.shape[1], x.dtype)
    return {**weights, **zeros}


def from_nn_transformer(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of an nn.Transformer's state dict, as NumPy arrays, under our names.

    `model.load_state_dict(model.state_dict() | from_nn_transformer(weights))` loads them. A
    post-norm nn.Transformer ends each stack with one more LayerNorm, which our model has with
    `final_norm=True`.

    Raises `InputError` when an array is missing, or has a name that nn.Transformer does not have.
    """
    return take_layers(weights, _names(weights))


def _names(weights: dict[str, np.ndarray]) -> dict[str, list[str]]:
    """Return our names of each of their arrays, for as many layers as there are in weights."""
    names = layer_names(TABLE, weights, "{}.layers.")
    for stack in STACKS:
        if any(name.startswith(f"{stack}.norm.") for name in weights):
            names.update(weight_and_bias(f"{stack}.norm.", [f"{stack}.norm"]))
    return names
