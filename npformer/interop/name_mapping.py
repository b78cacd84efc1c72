"""The weights of another program's Transformer under our names, by a table of its names."""

import numpy as np

from ..layers.positional_encoding import sinusoids
from ..utils import InputError

Table = dict[str, dict[str, dict[str, str]]]  # stack, box of figure 1, then their name of a map or norm and our names


def layer_names(table: Table, layers: dict[str, int], stem: str, *, attention_bias: bool = True) -> dict:
    """Return our names of each of their arrays in the layers: several where they stack matrices in one array.

    `layers` has the number of layers of each stack; `stem` begins a layer's names, with places for stack and number.

    >>> table = {"encoder": {"self_attention": {"qkv.": "sublayer.w_query sublayer.w_key"}}}
    >>> layer_names(table, {"encoder": 1}, "enc.{1}.", attention_bias=False)
    {'enc.0.qkv.weight': ['encoder.layers.0.self_attention.sublayer.w_query.weight', \
'encoder.layers.0.self_attention.sublayer.w_key.weight']}
    """
    names = {}
    for stack, boxes in table.items():
        for i in range(layers[stack]):
            for box, parts in boxes.items():
                for theirs, ours in parts.items():
                    own = [f"{stack}.layers.{i}.{box}.{name}" for name in ours.split()]
                    bias = attention_bias or ".w_" not in ours
                    names |= weight_and_bias(stem.format(stack, i) + theirs, own, bias=bias)
    return names


def weight_and_bias(theirs: str, ours: list[str], *, bias: bool = True) -> dict[str, list[str]]:
    """Return our names of a weight and its bias; the weight of a LayerNorm is our gain."""
    kinds = {"weight": "gain" if ours[0].endswith("norm") else "weight"} | ({"bias": "bias"} if bias else {})
    return {f"{theirs}{kind}": [f"{name}.{own}" for name in ours] for kind, own in kinds.items()}


def take_layers(weights: dict[str, np.ndarray], names: dict[str, list[str]]) -> dict[str, np.ndarray]:
    """Take arrays out of `weights` and return them under our names: their matrices are (out, in), ours (in, out)."""
    parts = ((ours, np.split(take(weights, theirs), len(ours))) for theirs, ours in names.items())
    return {own: part.T for ours, split in parts for own, part in zip(ours, split, strict=True)}


def take(weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Take an array out of `weights`. Raises `InputError` when there is none."""
    if name not in weights:
        raise InputError(f"these weights lack {name}: the file is of another kind, or a part of it is missing")
    return weights.pop(name)


def count_layers(weights: dict[str, np.ndarray], stem: str) -> int:
    """Return the number of layers whose names begin with a stem. Raises `InputError` when there are none.

    >>> count_layers({"encoder.0.w": None, "encoder.0.b": None, "encoder.1.w": None, "decoder.0.w": None}, "encoder.")
    2
    """
    numbers = {name.removeprefix(stem).split(".")[0] for name in weights if name.startswith(stem)}
    if not numbers:
        raise InputError(f"these weights lack {stem}0: the file is of another kind, or a part of it is missing")
    return len(numbers)


def check_weights(weights: dict[str, np.ndarray]) -> None:
    """Raise `InputError` where an array holds integers, booleans, NaN or infinity."""
    for name, array in weights.items():
        if array.dtype.kind != "f":
            raise InputError(f"{name} holds numbers of the type {array.dtype}: expected floats")
        if not np.isfinite(array).all():
            raise InputError(f"{name} contains NaN or infinity: the file is damaged, or the model")


def check_rows(name: str, table: np.ndarray, rows: np.ndarray) -> None:
    """Raise `InputError` unless a table has a row for each token of its vocabulary; `rows` has their ids."""
    if len(table) != rows.max() + 1:
        came = f"{name} has rows for {len(table)} tokens, its vocabulary has {rows.max() + 1}"
        raise InputError(f"{came}: give the vocabulary that the model was trained with")


def check_all_taken(weights: dict[str, np.ndarray]) -> None:
    """Raise `InputError` when arrays are left."""
    if weights:
        raise InputError(f"the weights have {min(weights)}, which is no part of the model that the settings describe")


def tie_of(source: np.ndarray, target: np.ndarray, generator: np.ndarray) -> str:
    """Return the setting `tie` of a model with these embedding matrices."""
    if not np.array_equal(target, generator):
        return "none"
    return "all" if np.array_equal(source, target) else "target"


def as_table(array: np.ndarray, d_model: int) -> np.ndarray | None:
    """Return a table of positions as (length, d_model), without an axis of 1 for the batch; None for other arrays."""
    whole = array.ndim in (2, 3) and array.size > 0 and array.shape[-1] == d_model
    if whole and array.size == max(array.shape[:-1]) * d_model:
        return array.reshape(-1, d_model)
    return None


def kind_of_positions(table: np.ndarray) -> str:
    """Return what a table of positions is: sines and cosines, as computed in float32, or learned."""
    for halves, kind in ((False, "sinusoidal"), (True, "sinusoidal_halves")):
        if table.shape[1] % 2 == 0 and np.abs(table - sinusoids(*table.shape, halves=halves)).max() < 2e-3:
            return kind
    return "learned"
