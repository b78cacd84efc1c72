import math

import numpy as np
import pytest

from npformer.paper.table1 import ATTENTION, KINDS, Size, cheaper_below, exponent
from npformer.paper.table1.table import counted_cheaper_below

LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS[1:]


@pytest.mark.parametrize("power", [0, 1, 1.5, 2, -1])
def test_a_power_law_has_its_exponent(power):
    sizes = np.array([64, 100, 4096])
    assert exponent(sizes, 3e-7 * sizes ** float(power)) == pytest.approx(power, abs=1e-9)


def test_the_fit_is_least_squares_over_logarithms():
    assert exponent([1, math.e, math.e**2], [1, math.e**3, math.e**2]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([1, 4, 16], [2, 4, 8], 20),
        ([1, 4, 16], [2, 2, 2], math.sqrt(10 * 20)),
        ([1, 4, 16], [2, 5, 20], math.inf),
        ([1, 4, 16], [0.5, 2, 3], 0),
        ([3, 4, 16], [2, 5, 15], 20 * 2 ** (math.log(5 / 4) / math.log(5 / 4 * 16 / 15))),
        ([1, 4, 16], [1, 4, 16], 0),
    ],
)
def test_where_two_curves_cross(ours, theirs, expected):
    assert cheaper_below([10, 20, 40], ours, theirs) == pytest.approx(expected)


@pytest.mark.parametrize("d", [16, 64, 96])
def test_where_the_counts_cross(d):
    size = Size(1, d, k=9, r=6)
    assert counted_cheaper_below(LSTM, size) == 2 * d  # 4 n d^2 + 2 n^2 d = 8 n d^2
    assert counted_cheaper_below(CONVOLUTION, size) == 5 * d / 2  # ... = 9 n d^2
    assert counted_cheaper_below(CONVOLUTION, size._replace(k=3)) == 0  # four projections are more than three products
    n = int(counted_cheaper_below(RESTRICTED, size))
    assert RESTRICTED.products(size._replace(n=n)) <= ATTENTION.products(size._replace(n=n))
    assert RESTRICTED.products(size._replace(n=n - 1)) > ATTENTION.products(size._replace(n=n - 1))


def test_what_never_costs_less_is_never_reached():
    free = LSTM._replace(products=lambda size: ATTENTION.products(size) + 1)
    assert counted_cheaper_below(free, Size(1, 8)) == math.inf


def test_the_papers_formulas_cross_where_their_factors_are_equal():
    size = Size(1, 32, k=5, r=7)
    assert [kind.cheaper_below(size) for kind in KINDS[1:]] == [32, 160, 160, 7]
