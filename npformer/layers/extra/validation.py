"""Checks of what is passed to the layers of this package: each raises `InputError`."""

from ...backend import dtype_kind
from ...utils import InputError
from ..validation import check_floats


def check_tokens(layer, x, mask) -> None:
    """Expect floats x (B, T, D) and booleans (B, T), True = a real token."""
    check_floats(layer, x)
    if x.ndim != 3:
        raise InputError(
            f"{layer.label} got x of shape {x.shape}: expected (B, T, D), for one sentence (1, T, D)"
        )
    shape = x.shape[:2]
    if dtype_kind(mask) != "b" or mask.shape != shape:
        got = (
            f"shape {mask.shape} and type {mask.dtype}"
            if hasattr(mask, "dtype")
            else f"type {type(mask).__name__}"
        )
        raise InputError(
            f"{layer.label} got a mask of {got}: expected booleans {shape}, True = a real token"
        )


def check_same_length(layer, query, key) -> None:
    """Expect query and key of one shape."""
    if query.shape != key.shape:
        raise InputError(
            f"{layer.label} got query {query.shape}, key {key.shape}: expected one sequence, of length T"
        )
