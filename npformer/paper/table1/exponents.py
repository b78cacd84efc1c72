"""What follows from the costs: exponents in n and d, and from which n on self-attention is the dearer layer."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from .layer_kinds import ATTENTION, Kind, Size

LONGEST = 1 << 30


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return b of values = a sizes^b, by least squares over the logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def larger_half(values: Sequence) -> list:
    """Return the larger values, half of them and the middle one: two at least, where there are two.

    >>> larger_half([64, 128, 256, 512, 1024]), larger_half([32, 64])
    ([256, 512, 1024], [32, 64])
    """
    values = sorted({*values})
    return values[-max(len(values) // 2 + 1, 2) :]


def cheaper_below(lengths: Sequence[int], ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the n below which ours costs less, between two lengths on a straight line in log and log.

    It is 0 when ours costs less at no length, and infinite when at the longest it still costs less. Where the order
    changes more than once, the last change counts.

    >>> round(cheaper_below([100, 400], [1, 4], [2, 2])), cheaper_below([100, 400], [3, 4], [2, 2])
    (200, 0.0)
    """
    gaps = [math.log(b / a) for a, b in zip(ours, theirs, strict=True)]  # positive where ours is cheaper
    if gaps[-1] > 0:
        return math.inf
    cheaper = [i for i, gap in enumerate(gaps) if gap > 0]
    if not cheaper:
        return 0.0
    i = cheaper[-1]
    share = gaps[i] / (gaps[i] - gaps[i + 1])
    return lengths[i] * (lengths[i + 1] / lengths[i]) ** share


def counted_cheaper_below(kind: Kind, size: Size) -> float:
    """Return the n below which self-attention takes fewer multiply-adds than another kind; 0 where it never does.

    >>> from .kinds import KINDS
    >>> counted_cheaper_below(KINDS[1], Size(1, 64)), counted_cheaper_below(KINDS[2], Size(1, 64))
    (128, 0.0)
    """

    def dearer(n: int) -> bool:
        return ATTENTION.products(size._replace(n=n)) >= kind.products(size._replace(n=n))

    return 0.0 if dearer(2) else first(dearer, 2)  # of a lone position nobody costs n^2


def first(holds: Callable[[int], bool], below: int) -> float:
    """Return the first n for which something holds, that does not hold at `below` and once it does goes on to hold."""
    above = below
    while not holds(above):
        below, above = above, 2 * above
        if above > LONGEST:
            return math.inf
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
