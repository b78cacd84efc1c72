"""Checks of what is passed to the layers of this package: each raises `InputError`."""

from ...backend import dtype_kind
from ...utils import InputError
from ..validation import check_floats, check_last_axis


def check_sequence(layer, x, d_in: int) -> None:
    """Expect floats x (B, T, d_in)."""
    check_last_axis(layer, x, d_in, "d_in")
    if x.ndim != 3:
        raise InputError(
            f"{layer.label} got x of shape {x.shape}: expected (B, T, d_in), for one sentence (1, T, d_in)"
        )


def check_tokens(layer, mask, shape: tuple[int, int]) -> None:
    """Expect booleans (B, T), True = a real token."""
    if dtype_kind(mask) != "b" or mask.shape != shape:
        got = f"shape {mask.shape} and type {mask.dtype}" if hasattr(mask, "dtype") else f"type {type(mask).__name__}"
        raise InputError(f"{layer.label} got a mask of {got}: expected booleans {shape}, True = a real token")


def check_pooled(layer, x, mask) -> None:
    """Expect floats x (B, S, D) and booleans (B, S)."""
    check_floats(layer, x)
    if x.ndim != 3:
        raise InputError(f"{layer.label} got x of shape {x.shape}: expected (B, S, D)")
    check_tokens(layer, mask, x.shape[:2])


def check_same_length(layer, query, key) -> None:
    """Expect query and key of one shape."""
    if query.shape != key.shape:
        raise InputError(f"{layer.label} got query {query.shape}, key {key.shape}: expected one sequence, of length T")
