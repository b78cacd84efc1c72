"""Checks of what is passed to layers: each raises `InputError`."""

from typing import Any

from ..backend import Array, describe_type, dtype_kind, is_float_array, xp
from ..module import Module, Parameter
from ..utils import InputError


def check_floats(layer: Module, *arrays) -> None:
    """Expect arrays of float32 or wider: sums in float16 overflow.

    Integers cannot be normalized, and lists have no shape.
    """
    for x in arrays:
        if not is_float_array(x):
            raise InputError(
                f"{layer.display_name} got {describe_type(x)}: "
                "expected an array of floats, such as np.asarray(x, 'float32')"
            )


def check_last_axis(layer: Module, x: Array, size: int, what: str = "d_model") -> None:
    """Expect floats x (..., size)."""
    check_floats(layer, x)
    if x.ndim == 0 or x.shape[-1] != size:
        raise InputError(
            f"{layer.display_name} got x of shape {x.shape}: expected last axis {size} ({what})"
        )


def check_rows(layer: Module, x: Array) -> None:
    """Expect floats x (..., S), S above 0.

    They may be of half precision: the powers of a softmax are 1 at most.
    """
    if dtype_kind(x) != "f":  # float16 is one of the floats
        check_floats(layer, x)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InputError(
            f"{layer.display_name} got x of shape {x.shape}: "
            "expected (..., S) with S above 0, such as (1,)"
        )


def check_length(layer: Module, x: Array, start: int, max_len: int) -> int:
    """Expect x (..., T, D) and positions below max_len; return start + T."""
    if x.ndim < 2 or start < 0:
        got = f"{layer.display_name} got x of shape {x.shape}, start = {start}"
        raise InputError(f"{got}: expected (..., T, D), 0 or more")
    end = start + x.shape[-2]
    if end > max_len:
        got = f"{layer.display_name} got {end} positions, more than max_len = {max_len}"
        raise InputError(f"{got}: shorten the sentence or build the model with a larger max_len")
    return end


def check_mask(layer: Module, mask: Array, shape: tuple[int, ...]) -> None:
    """Expect booleans that broadcast to a shape (..., T, S)."""
    if dtype_kind(mask) != "b":
        kind = mask.dtype if dtype_kind(mask) else type(mask).__name__
        raise InputError(
            f"{layer.display_name} got a mask of type {kind}: "
            "expected booleans, True = may attend. "
            "Turn an additive mask into one with  mask == 0"
        )
    pairs = zip(mask.shape[::-1], shape[::-1], strict=False)
    broadcasts = all(size in (1, expected) for size, expected in pairs)
    if mask.ndim > len(shape) or not broadcasts:
        raise InputError(
            f"{layer.display_name} got a mask of shape {mask.shape}: expected one that broadcasts "
            f"to {shape}. A padding mask is (B, 1, S), a causal mask (T, T)"
        )


def check_attention(layer: Any, query: Array, key: Array, value: Array, mask: Array | None) -> None:
    """Expect query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), and a mask that fits."""
    check_floats(layer, query, key, value)
    got = f"{layer.display_name} got query {query.shape}, key {key.shape}, value {value.shape}"
    same_axes = query.ndim == key.ndim and query.shape[:-2] == key.shape[:-2]
    same_d_k = query.shape[-1:] == key.shape[-1:]
    same_positions = key.shape[:-1] == value.shape[:-1]
    if query.ndim < 2 or not (same_axes and same_d_k and same_positions) or key.shape[-2] == 0:
        raise InputError(
            f"{got}: expected (..., T, d_k), (..., S, d_k), (..., S, d_v), "
            "S above 0, same leading axes"
        )
    if layer.causal and query.shape[-2] > key.shape[-2]:
        raise InputError(f"{got}: expected at least as many keys as queries, because it is causal")
    if mask is not None:
        check_mask(layer, mask, (*query.shape[:-1], key.shape[-2]))


def check_sequences(layer: Module, query: Array, key: Array, value: Array, d_model: int) -> None:
    """Expect query (B, T, D), key and value (B, S, D), D = d_model."""
    check_floats(layer, query, key, value)
    three_axes = query.ndim == key.ndim == 3 and key.shape == value.shape
    if not three_axes or query.shape[0] != key.shape[0] or query.shape[2] != key.shape[2]:
        got = f"{layer.display_name} got query {query.shape}, key {key.shape}, value {value.shape}"
        raise InputError(f"{got}: expected (B, T, D), (B, S, D), (B, S, D) with the same B and D")
    if query.shape[2] != d_model:
        got = f"{layer.display_name} got query of shape {query.shape}"
        raise InputError(f"{got}: expected last axis {d_model} (d_model)")


def check_ids(layer: Module, ids: Array, vocab_size: int) -> None:
    """Expect integers from 0 to vocab_size - 1."""
    if not xp.issubdtype(ids.dtype, xp.integer):
        raise InputError(
            f"{layer.display_name} got ids of type {ids.dtype}: token ids must be integers"
        )
    if ids.size == 0:
        return
    for token_id in (int(ids.min()), int(ids.max())):
        if not 0 <= token_id < vocab_size:
            got = (
                f"{layer.display_name} got the id {token_id}: expected ids in 0 .. {vocab_size - 1}"
            )
            raise InputError(f"{got}. Was the text encoded with this model's vocabulary?")


def check_ids_shape(ids: Array) -> None:
    """Expect ids (B, T) or (B, S), not empty."""
    if ids.ndim != 2 or ids.size == 0:
        raise InputError(
            f"ids have shape {ids.shape}: "
            "expected (batch, length), for one text (1, length), not empty"
        )


def check_targets(layer: Module, logits: Array, targets: Array) -> None:
    """Expect logits (..., V) and targets, ids (...) below V."""
    check_floats(layer, logits)
    if targets.shape != logits.shape[:-1]:
        got = f"targets have shape {targets.shape}"
        raise InputError(f"{got}: expected {logits.shape[:-1]}, one for each position")
    check_ids(layer, targets, logits.shape[-1])


def check_table(table: Parameter, shape: tuple[int, int]) -> None:
    """Expect an embedding matrix of this shape, as a Parameter."""
    if not isinstance(table, Parameter):
        got = f"type {type(table).__name__}"
    elif table.data.shape != shape:
        got = f"shape {table.data.shape}"
    else:
        return
    raise InputError(
        f"got a table of {got}: expected a Parameter of shape {shape}, that of another layer"
    )
