"""Which differences from the base model are larger than the spread over seeds, and whether the paper has them too."""

import math
from collections.abc import Mapping
from statistics import mean, stdev
from typing import NamedTuple

from .paper_table3 import PapersRow, direction

STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)  # t(0.975) for 1, 2, ... 10 degrees
BEYOND = 2.228  # for more degrees of freedom: a little too strict


class Difference(NamedTuple):
    """How much a measure is larger than the base model's: the mean over seeds, and half the width of its 95 % interval.

    From a single seed the interval has no end.
    """

    mean: float
    half_width: float

    @property
    def direction(self) -> int:
        """1 for more than the base model, -1 for less, 0 for a difference no larger than the spread."""
        return 0 if abs(self.mean) <= self.half_width else 1 if self.mean > 0 else -1


def difference(base: Mapping[int, float], variant: Mapping[int, float]) -> Difference | None:
    """Compare by seed: runs of one seed have the same data, in the same order. None where no seed is in both.

    The interval is Student's, of the differences of the pairs: it leaves out 0 by chance once in twenty rows.

    >>> base, variant = {0: 1.50, 1: 1.70, 2: 1.60}, {0: 1.61, 1: 1.80, 2: 1.69}
    >>> found = difference(base, variant)
    >>> round(found.mean, 3), round(found.half_width, 3), found.direction
    (0.1, 0.025, 1)
    """
    pairs = [variant[seed] - base[seed] for seed in sorted(base.keys() & variant.keys())]
    if not pairs:
        return None
    if len(pairs) == 1:
        return Difference(pairs[0], math.inf)
    student = STUDENT[len(pairs) - 2] if len(pairs) - 2 < len(STUDENT) else BEYOND
    return Difference(mean(pairs), student * stdev(pairs) / math.sqrt(len(pairs)))


def agreement(found: Difference | None, paper: PapersRow | None, measure: str) -> str:
    """Say whether a difference has the paper's sign: "yes" or "no", or "" where it is within the spread, or no row is.

    >>> learned = PapersRow(4.92, 25.7)
    >>> agreement(Difference(0.1, 0.025), learned, "perplexity"), agreement(Difference(0.1, 0.2), learned, "perplexity")
    ('no', '')
    """
    if found is None or paper is None or not found.direction:
        return ""
    return "yes" if found.direction == direction(paper, measure) else "no"
