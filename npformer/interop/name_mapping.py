"""Both columns of another program's Transformer, array by array, by a table of its names."""

import numpy as np

from ..utils import InputError

Boxes = dict[str, dict[str, dict[str, str]]]  # column, box of figure 1, then of each linear map or norm theirs and ours


def columns(weights: dict[str, np.ndarray], boxes: Boxes, layers: dict[str, int], stem: str, **how: bool) -> dict:
    """Take both columns out of `weights`, and return them under our names.

    `layers` is how many each column has, `stem` what stands before a layer's names, such as "{}.layers.{}." for column
    and number; `how` goes on to `taken_parts`. What is taken is removed from `weights`: what is left can be told.

    Raises `InputError` when an array is missing.

    >>> boxes = {"encoder": {"feed_forward": {"w_1": "sublayer.linear_1"}}}
    >>> columns({"enc.0.w_1.weight": np.ones((3, 2)), "enc.0.w_1.bias": np.ones(3)}, boxes, {"encoder": 1}, "enc.{1}.")
    ... # doctest: +ELLIPSIS
    {'encoder.layers.0.feed_forward.sublayer.linear_1.weight': array([[1., 1., 1.],...
    """
    found = {}
    for column, places in boxes.items():
        for i in range(layers[column]):
            for box, parts in places.items():
                for theirs, ours in parts.items():
                    name = f"{column}.layers.{i}.{box}.{ours}"
                    found |= taken_parts(weights, stem.format(column, i) + theirs, name, **how)
    return found


def taken_parts(weights: dict[str, np.ndarray], theirs: str, ours: str, *, attention_bias: bool = True) -> dict:
    """Take a linear map or a LayerNorm out of `weights`: its matrix, which ours has the other way round, and bias."""
    if ours.endswith("norm"):
        return {f"{ours}.{own}": taken(weights, f"{theirs}.{its}") for its, own in (("weight", "gain"), ("bias",) * 2)}
    found = {f"{ours}.weight": taken(weights, f"{theirs}.weight").T}
    if attention_bias or ".w_" not in ours:
        found[f"{ours}.bias"] = taken(weights, f"{theirs}.bias")
    return found


def taken(weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Take an array out of `weights`, in float32. Raises `InputError` when there is none, or its numbers are none."""
    if name not in weights:
        raise InputError(f"the weights lack {name}: the file is only a part, or of another model than its settings say")
    check_fractions(name, weights[name])
    array = weights.pop(name).astype(np.float32)
    check_finite(name, array)
    return array


def check_finite(name: str, array: np.ndarray) -> None:
    """Raise `InputError` where an array has NaN or infinite numbers."""
    if not np.isfinite(array).all():
        raise InputError(f"{name} has numbers that are none (NaN or infinite): the file is damaged, or the model")


def check_fractions(name: str, array: np.ndarray) -> None:
    """Raise `InputError` where an array holds whole numbers, or truth values, which weights are not."""
    if array.dtype.kind != "f":
        raise InputError(f"{name} holds numbers of the type {array.dtype}: expected those with fractions")


def n_layers(weights: dict[str, np.ndarray], stem: str) -> int:
    """Return how many layers there are whose names begin with a stem.

    Raises `InputError` when there are none.

    >>> n_layers({"encoder.0.w": None, "encoder.0.b": None, "encoder.1.w": None, "decoder.0.w": None}, "encoder.")
    2
    """
    numbers = {name.removeprefix(stem).split(".")[0] for name in weights if name.startswith(stem)}
    if not numbers:
        raise InputError(f"the weights have no {stem}0: the file is only a part, or of another model")
    return len(numbers)


def check_rows(name: str, table: np.ndarray, rows: np.ndarray) -> None:
    """Raise `InputError` unless a table, or a bias, has a row for each token of its vocabulary; rows has their ids."""
    if len(table) != rows.max() + 1:
        came = f"{name} has rows for {len(table)} tokens, its vocabulary has {rows.max() + 1}"
        raise InputError(f"{came}: give the vocabulary that the model was trained with")


def check_all_taken(weights: dict[str, np.ndarray]) -> None:
    """Raise `InputError` when arrays are left that no part of the model took."""
    if left := sorted(weights):
        raise InputError(f"the weights have {left[0]}, which the model that their settings describe has not")
