"""Random generators and their seeds."""

import numpy as np

from .errors import InputError

Rng = np.random.Generator | int | None  # a generator, a seed, or None for an unforeseen one


def random_generator(rng: Rng) -> np.random.Generator:
    """Return a Generator as it is, a seed's, or for None an unforeseen one. Raises `InputError` for anything else."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng = {rng!r}: expected a np.random.Generator, or a seed, 0 or more") from None
