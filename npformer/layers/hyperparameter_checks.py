"""Checks of hyperparameters, such as d_model and dropout: each raises `InputError`."""

from numbers import Integral, Real

from ..utils import InputError


def check_sizes(**sizes: int) -> None:
    """Expect whole numbers, 1 or more, each given by its name."""
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise InputError(f"{name} = {size!r}: expected an integer >= 1")


def check_heads(d_model: int, n_heads: int, d_k: int | None, d_v: int | None) -> None:
    """Expect sizes, and a d_model that n_heads divides unless both d_k and d_v are given."""
    check_sizes(d_model=d_model, n_heads=n_heads)
    if d_k is not None:
        check_sizes(d_k=d_k)
    if d_v is not None:
        check_sizes(d_v=d_v)
    if d_model % n_heads and (d_k is None or d_v is None):
        got = f"d_model = {d_model} is not divisible by n_heads = {n_heads}"
        raise InputError(f"{got}: choose others, or d_k and d_v")


def check_even_d_model(d_model: int) -> None:
    """Expect an even d_model, for sinusoids."""
    if d_model % 2:
        raise InputError(
            f"d_model = {d_model} is odd: sinusoids come in pairs of sine and cosine. "
            "Use an even d_model, or learned positions"
        )


def check_even_d_k(d_k: int) -> None:
    """Expect an even d_k, for rotary positions."""
    if d_k % 2:
        got = f"d_k = {d_k} is odd: rotary positions rotate pairs of features"
        raise InputError(f"{got}. Use an even d_k; by default it is d_model / n_heads")


def check_probability(p: float, name: str = "dropout") -> None:
    """Expect a number of 0 <= p < 1."""
    if not isinstance(p, Real) or not 0 <= p < 1:
        raise InputError(f"{name} = {p!r}: expected a number of 0 or more, and below 1")


def check_eps(eps: float) -> None:
    """Expect a number above 0."""
    if not isinstance(eps, Real) or not eps > 0:
        raise InputError(f"eps = {eps!r}: expected a number above 0")
