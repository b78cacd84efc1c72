"""Checks at the doors of public layers: what came, what was expected, what to do."""

from numbers import Integral

from ..backend import dtype_kind, xp
from ..utils import InputError


def check_floats(layer, *arrays) -> None:
    """Raise `InputError` unless each is an array of floats: integers cannot be normalised, and lists have no shape."""
    for x in arrays:
        kind = dtype_kind(x)
        if kind != "f":
            came = f"numbers of type {x.dtype}" if kind else f"a {type(x).__name__}"
            raise InputError(f"{layer.label} got {came}: expected an array of floats, such as np.asarray(x, 'float32')")


def check_last_axis(layer, x, size: int, what: str = "d_model") -> None:
    """Raise `InputError` unless x is an array of floats whose last axis has `size` entries."""
    check_floats(layer, x)
    if x.ndim == 0 or x.shape[-1] != size:
        came = f"{layer.label} got x of shape {x.shape}: the last axis must be {what} = {size}"
        raise InputError(f"{came}. Did you pass another width where {what} belongs?")


def check_rows(layer, x) -> None:
    """Raise `InputError` unless x is an array of floats (..., S), S above 0."""
    check_floats(layer, x)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InputError(f"{layer.label} got x of shape {x.shape}: expected (..., S) with S above 0, such as (1,)")


def check_length(layer, x, start: int, max_len: int) -> int:
    """Return start + T. Raises `InputError` when x is not (..., T, D), or lies outside the positions that there are."""
    if x.ndim < 2:
        raise InputError(f"{layer.label} got x of shape {x.shape}: expected (..., T, D), for a lone position (1, D)")
    if start < 0:
        raise InputError(f"{layer.label} got start = {start}: expected the first position's number, 0 or more")
    if start + x.shape[-2] > max_len:
        came = f"{layer.label} got {start + x.shape[-2]} positions, more than max_len = {max_len}"
        raise InputError(f"{came}: shorten the sentence or build the model with a larger max_len")
    return start + x.shape[-2]


def check_sequence(layer, x, d_in: int) -> None:
    """Raise `InputError` unless x is an array of floats (B, T, d_in)."""
    check_last_axis(layer, x, d_in, "d_in")
    if x.ndim != 3:
        raise InputError(
            f"{layer.label} got x of shape {x.shape}: expected (B, T, d_in), for a lone sentence (1, T, d_in)"
        )


def check_tokens(layer, mask, shape: tuple[int, int]) -> None:
    """Raise `InputError` unless the mask is boolean, one for each token: (B, T)."""
    if dtype_kind(mask) != "b" or mask.shape != shape:
        came = f"shape {mask.shape} and type {mask.dtype}" if hasattr(mask, "dtype") else f"type {type(mask).__name__}"
        raise InputError(f"{layer.label} got a mask of {came}: expected booleans {shape}, True = a real token")


def check_mask(layer, mask, shape: tuple[int, ...]) -> None:
    """Raise `InputError` unless the mask is boolean and broadcasts to a shape (..., T, S)."""
    if dtype_kind(mask) != "b":
        kind = getattr(mask, "dtype", type(mask).__name__)
        came = f"{layer.label} got a mask of type {kind}: expected an array of booleans, True = may attend"
        raise InputError(f"{came}. Turn an additive mask into one with  mask == 0")
    pairs = zip(mask.shape[::-1], shape[::-1], strict=False)
    if mask.ndim > len(shape) or any(size not in (1, expected) for size, expected in pairs):
        came = f"{layer.label} got a mask of shape {mask.shape}: expected one that broadcasts to {shape}"
        raise InputError(f"{came}. A padding mask is (B, 1, S), a causal mask (T, T)")


def check_sizes(**sizes: int) -> None:
    """Raise `InputError` unless each size, given by its name, is a whole number and 1 or more."""
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise InputError(f"{name} = {size!r}: expected a whole number, 1 or more")


def check_heads(d_model: int, n_heads: int, d_k: int | None, d_v: int | None) -> None:
    """Raise `InputError` for a bad size, or when d_k or d_v is to be d_model / n_heads and that is no whole number."""
    given = {name: size for name, size in (("d_k", d_k), ("d_v", d_v)) if size is not None}
    check_sizes(d_model=d_model, n_heads=n_heads, **given)
    if d_model % n_heads and None in (d_k, d_v):
        raise InputError(f"d_model = {d_model} is not divisible by n_heads = {n_heads}: choose others, or d_k and d_v")


def check_even(d_model: int) -> None:
    """Raise `InputError` when d_model is odd, for sinusoids come in pairs."""
    if d_model % 2:
        pairs = "sinusoids come in pairs of sine and cosine"
        raise InputError(f"d_model = {d_model} is odd: {pairs}. Use an even d_model, or learned positions")


def check_ids(layer, ids, vocab_size: int) -> None:
    """Raise `InputError` unless ids are integers from 0 to vocab_size - 1."""
    if not xp.issubdtype(ids.dtype, xp.integer):
        raise InputError(f"{layer.label} got ids of type {ids.dtype}: token ids must be integers")
    lowest, highest = (int(ids.min()), int(ids.max())) if ids.size else (0, 0)
    if lowest < 0 or highest >= vocab_size:
        came = f"{layer.label} got the id {lowest if lowest < 0 else highest}: ids must lie in 0 .. {vocab_size - 1}"
        raise InputError(f"{came}. Was the text encoded with this model's vocabulary?")
