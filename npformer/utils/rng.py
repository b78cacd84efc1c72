"""Where random numbers come from."""

import numpy as np

from .errors import InputError

Rng = np.random.Generator | int | None  # a generator, a seed, or None for an unforeseen one


def check_seed(seed: int) -> int:
    """Return a seed. Raises `InputError` unless it is a whole number that others can be drawn from again."""
    if not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed = {seed!r}: expected an integer >= 0, for an epoch can be cut again")
    return int(seed)


def random_generator(rng: Rng) -> np.random.Generator:
    """Return a Generator as it is, a seed's, or for None an unforeseen one. Raises `InputError` for anything else."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng = {rng!r}: expected a np.random.Generator, or a seed, 0 or more") from None
