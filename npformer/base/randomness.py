"""Where random numbers come from."""

import numpy as np

from .errors import InputError


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return a Generator as it is, a seed's, or for None an unforeseen one. Raises `InputError` for anything else."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng = {rng!r}: expected a np.random.Generator, or a seed, 0 or more") from None


class Undrawn(np.random.Generator):
    """The generator of seed 0 for a model whose weights are read: they start at 0, for to draw them takes its time.

    Everything else is drawn from it as from any other.

    >>> Undrawn().normal(0, 3, (1, 2)).tolist(), Undrawn().random() == generator(0).random()
    ([[0.0, 0.0]], True)
    """

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def uniform(self, low=0.0, high=1.0, size=None):
        """Return zeros."""
        return np.broadcast_to(0.0, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Return zeros."""
        return np.broadcast_to(0.0, size)
