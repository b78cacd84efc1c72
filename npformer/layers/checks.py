"""Checks at the doors of public layers: what came, what was expected, what to do."""

from ..backend import xp
from ..errors import InputError


def check_last_axis(layer, x, size: int, what: str = "d_model", name: str = "x") -> None:
    """Raise `InputError` unless the last axis of x has `size` entries."""
    if x.ndim == 0 or x.shape[-1] != size:
        raise InputError(
            f"{layer!r} got {name} of shape {x.shape}: the last axis must be {what} = {size}. "
            f"Did you pass another width where {what} belongs?"
        )


def check_length(layer, x, max_len: int) -> None:
    """Raise `InputError` when x (..., T, D) is longer than the positions that were set up."""
    if x.shape[-2] > max_len:
        raise InputError(
            f"{layer!r} got {x.shape[-2]} positions, more than max_len = {max_len}: "
            "shorten the sentence or build the model with a larger max_len"
        )


def check_probability(p: float, name: str = "dropout") -> None:
    """Raise `InputError` unless 0 <= p < 1."""
    if not 0 <= p < 1:
        raise InputError(f"{name} = {p} is not a probability below 1: expected 0 <= {name} < 1")


def check_ids(layer, ids, vocab_size: int) -> None:
    """Raise `InputError` unless ids are integers from 0 to vocab_size - 1."""
    if not xp.issubdtype(ids.dtype, xp.integer):
        raise InputError(f"{layer!r} got ids of type {ids.dtype}: token ids must be integers")
    if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < vocab_size:
        worst = int(ids.min()) if int(ids.min()) < 0 else int(ids.max())
        raise InputError(
            f"{layer!r} got the id {worst}: ids must lie in 0 .. {vocab_size - 1}. "
            "Was the text encoded with this model's vocabulary?"
        )
