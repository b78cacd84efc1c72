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
