"""The facts about a wrong array, each compared with the array before it is reported, the most useful first."""

from __future__ import annotations

import math

import numpy as np

from .mismatch import Fact, Wrong
from .wrong_axes import another, offset, permuted, reversed_along
from .wrong_region import where
from .wrong_scale import array_factor, factor
from .wrong_terms import terms

CLOSE = 1e-4  # a smaller error is rounding, or a small number added
FACTS = (another, terms, factor, array_factor, permuted, where, reversed_along, offset)


def find(wrong: Wrong) -> Fact | None:
    """Return the first fact that holds of a wrong array on every draw, or None.

    >>> e = np.arange(1.0, 7.0).reshape(2, 3)
    >>> find(Wrong([-e], [e], [{}], [{}])).text
    'has the wrong sign, and is right otherwise'
    """
    arrays = [*wrong.got, *wrong.expected]
    if not all(x.dtype.kind == "f" and np.isfinite(x).all() for x in arrays):
        return None
    if all(g.shape == e.shape for g, e in zip(wrong.got, wrong.expected, strict=True)) and wrong.error <= CLOSE:
        digits = math.floor(math.log10(1.001 / max(wrong.error, 1e-15)))
        several = " of its largest entry" * any(e.size > 1 for e in wrong.expected)
        return Fact("close", f"is right to {digits} digits{several}")
    return next(filter(None, (fact(wrong) for fact in FACTS)), None)
