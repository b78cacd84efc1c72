"""Which weights of PyTorch's nn.Transformer are which of ours."""

from collections.abc import Iterable

import numpy as np

from ..utils import InputError

SELF = {
    "self_attn.in_proj_": "sublayer.w_query sublayer.w_key sublayer.w_value",
    "self_attn.out_proj.": "sublayer.w_output",
}
CROSS = {theirs.replace("self_attn", "multihead_attn"): ours for theirs, ours in SELF.items()}
LINEAR = {"linear1.": "sublayer.linear_1", "linear2.": "sublayer.linear_2"}
LAYER = {
    "encoder": {"self_attention": {**SELF, "norm1.": "norm"}, "feed_forward": {**LINEAR, "norm2.": "norm"}},
    "decoder": {
        "self_attention": {**SELF, "norm1.": "norm"},
        "cross_attention": {**CROSS, "norm2.": "norm"},
        "feed_forward": {**LINEAR, "norm3.": "norm"},
    },
}


def to_nn_transformer(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of both columns, from a Transformer's state dict, under nn.Transformer's names.

    Its matrices are (out, in), ours (in, out), and it stacks those of query, key and value. Embeddings, positions and
    generator are no part of nn.Transformer and are left out. Without biases in attention there, zeros stand for them.
    Raises `InputError` where d_k or d_v is not d_model / n_heads, and when an array is missing.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9), rng=0)
    >>> theirs = to_nn_transformer(model.state_dict())
    >>> theirs["decoder.layers.1.self_attn.in_proj_weight"].shape, len(theirs)
    ((192, 64), 60)
    >>> back = from_nn_transformer(theirs)
    >>> all((model.state_dict()[name] == array).all() for name, array in back.items())
    True
    """
    weights = weights | without_bias(weights)
    found = {theirs: [taken(weights, name).T for name in ours] for theirs, ours in names_of(weights).items()}
    for theirs, parts in found.items():
        if "attn" in theirs and {part.shape[0] for part in parts} != {parts[0].shape[-1]}:
            shape = "d_k = d_v = d_model / n_heads in all attention"
            raise InputError(f"{theirs}: nn.Transformer has {shape}, and these weights have not")
    return {theirs: np.concatenate(parts) for theirs, parts in found.items()}


def without_bias(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return a zero for each bias of attention, where there is none at all."""
    matrices = [name for name in weights if ".sublayer.w_" in name and name.endswith(".weight")]
    biases = {name.removesuffix("weight") + "bias": weights[name] for name in matrices}
    if biases.keys() & weights.keys():
        return {}
    return {name: np.zeros(matrix.shape[1], matrix.dtype) for name, matrix in biases.items()}


def from_nn_transformer(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the weights of an nn.Transformer's state dict, as NumPy arrays, under our names.

    `model.load_state_dict(model.state_dict() | from_nn_transformer(weights))` takes them over. A post-norm
    nn.Transformer ends each column with one more LayerNorm, which ours has with `final_norm=True` alone: else it is
    refused.
    Raises `InputError` when an array is missing, or has a name that nn.Transformer's have not.
    """
    found, names = {}, names_of(weights)
    if unknown := ", ".join(sorted(weights.keys() - names.keys())[:3]):
        raise InputError(
            f"these weights have {unknown}: expected nn.Transformer's names, as encoder.layers.0.norm1.bias"
        )
    for theirs, ours in names.items():
        found |= zip(ours, (part.T for part in np.split(taken(weights, theirs), len(ours))), strict=True)
    return found


def names_of(weights: Iterable[str]) -> dict[str, list[str]]:
    """Return our names of each of their weights, for as many layers as `weights`, theirs or ours, has.

    Raises `InputError` when a column has none.
    """
    names = {}
    for column, boxes in LAYER.items():
        layers = {int(name.split(".")[2]) for name in weights if name.startswith(f"{column}.layers.")}
        if not layers:
            raise InputError(f"these weights lack {column}.layers: expected both columns of a Transformer")
        for i in sorted(layers):
            layer = f"{column}.layers.{i}"
            for box, places in boxes.items():
                for theirs, ours in places.items():
                    names |= named(f"{layer}.{theirs}", [f"{layer}.{box}.{own}" for own in ours.split()])
        if any(name.startswith(f"{column}.norm.") for name in weights):
            names |= named(f"{column}.norm.", [f"{column}.norm"])
    return names


def named(theirs: str, ours: list[str]) -> dict[str, list[str]]:
    """Return the names of a weight and its bias; the weight of a LayerNorm is our gain."""
    kinds = {"weight": "gain" if ours[0].endswith("norm") else "weight", "bias": "bias"}
    return {f"{theirs}{kind}": [f"{name}.{own}" for name in ours] for kind, own in kinds.items()}


def taken(weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Return the array of a name. Raises `InputError` when there is none."""
    if name not in weights:
        raise InputError(f"these weights lack {name}: expected both columns of a Transformer, with all biases")
    return weights[name]
