"""Checks of what is passed to the layers of this package: each raises `InputError`."""

from ...backend import Array, dtype_kind
from ...module import Module
from ...utils import InputError
from ..validation import check_floats


def check_tokens(layer: Module, x: Array, mask: Array) -> None:
    """Expect floats x (B, T, D) and booleans (B, T), True = a real token."""
    check_floats(layer, x)
    if x.ndim != 3:
        raise InputError(
            f"{layer.display_name} got x of shape {x.shape}: "
            "expected (B, T, D), for one sentence (1, T, D)"
        )
    expected = x.shape[:2]
    if dtype_kind(mask) == "b" and mask.shape == expected:
        return
    if hasattr(mask, "dtype"):
        got = f"shape {mask.shape} and type {mask.dtype}"
    else:
        got = f"type {type(mask).__name__}"
    raise InputError(
        f"{layer.display_name} got a mask of {got}: "
        f"expected booleans {expected}, True = a real token"
    )


def check_same_length(layer: Module, query: Array, key: Array) -> None:
    """Expect query and key of one shape."""
    if query.shape != key.shape:
        got = f"{layer.display_name} got query {query.shape}, key {key.shape}"
        raise InputError(f"{got}: expected one sequence, of length T")


def check_last_queries(layer: Module, query: Array, key: Array, value: Array) -> None:
    """Expect query (..., T, d_k), key (..., S, d_k), value (..., S, d_v), T at most S."""
    check_floats(layer, query, key, value)
    has_positions = query.ndim > 1 and key.ndim > 1
    if has_positions and query.shape[-1] == key.shape[-1] and query.shape[-2] <= key.shape[-2]:
        return
    got = f"{layer.display_name} got query {query.shape}, key {key.shape}, value {value.shape}"
    raise InputError(f"{got}: expected (..., T, d_k), (..., S, d_k), (..., S, d_v), T at most S")
