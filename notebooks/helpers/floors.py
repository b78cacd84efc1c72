"""Losses that notebooks 14 and 17 ask for: of a perfect model, and of known frequencies."""

from __future__ import annotations

from collections import Counter

import numpy as np

from .expected import Expected
from .schematics.learning_curve import smoothed_entropy


def floor_to_write(n_tokens: int) -> Expected:
    """Return what notebook 14 expects of `floor`, with a vocabulary of this size."""
    expected = Expected(floor=smoothed_entropy(Counter({0: 1}), n_tokens))
    expected.say("it is the loss of p that is 1 / V everywhere", floor=np.log(n_tokens))
    return expected


def frequent_to_write(counts: np.ndarray) -> Expected:
    """Return what notebook 17 expects of `frequent`.

    Arguments:
        counts: how often each token has to be predicted (V,)
    """
    frequent = smoothed_entropy(Counter(dict(enumerate(counts))), len(counts))
    return Expected(frequent=frequent)
