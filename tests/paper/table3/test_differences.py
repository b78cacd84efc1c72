"""Which difference is larger than the spread, on numbers made up for it and on chance."""

import math

import numpy as np
import pytest

from npformer.paper.table3.paper_table3 import PapersRow
from npformer.paper.table3.significance import STUDENT, Difference, agreement, difference

MORE, LESS, SAME = PapersRow(5.5, 25.0), PapersRow(4.5, 26.5), PapersRow(4.93, 25.7)


def of(*values):
    return dict(enumerate(values))


def test_a_difference_is_that_of_runs_with_one_seed():
    """Seeds differ far more than the models do, but each seed says the same."""
    found = difference(of(1.0, 5.0, 9.0), of(1.3, 5.2, 9.4))
    assert found.mean == pytest.approx(0.3) and found.half_width == pytest.approx(4.303 * 0.1 / math.sqrt(3))
    assert found.direction == 1
    assert difference(of(1.3, 5.2, 9.4), of(1.0, 5.0, 9.0)).direction == -1


def test_one_that_seeds_do_not_agree_on_is_none():
    assert difference(of(1.0, 5.0, 9.0), of(1.5, 4.9, 9.1)).direction == 0


def test_only_seeds_of_both_are_compared_and_one_is_not_enough():
    base = {0: 1.0, 1: 2.0, 2: 100.0}
    assert difference(base, {0: 1.1, 1: 2.2, 3: 0.0}).mean == pytest.approx(0.15)
    assert difference(base, {1: 5.0}) == Difference(3.0, math.inf) and difference(base, {1: 5.0}).direction == 0
    assert difference(base, {7: 1.0}) is None


def test_what_no_seed_changes_is_no_difference():
    assert difference(of(1.0, 2.0), of(1.0, 2.0)).direction == 0


@pytest.mark.parametrize("n", [2, 3, 11])
def test_chance_alone_makes_one_difference_in_twenty(n):
    rng, times = np.random.default_rng(n), 2000
    found = [difference(of(*rng.normal(size=n)), of(*rng.normal(size=n))).direction for _ in range(times)]
    assert 0.035 < np.mean(np.abs(found)) < 0.065
    assert abs(np.mean(found)) < 0.025


def test_the_fewer_seeds_the_larger_a_difference_must_be():
    assert list(STUDENT) == sorted(STUDENT, reverse=True)
    assert difference(of(*range(40)), of(*(2 * n for n in range(40)))).half_width < 4.3


@pytest.mark.parametrize(
    ("found", "paper", "expected"),
    [
        (Difference(0.5, 0.1), MORE, "yes"),
        (Difference(-0.5, 0.1), MORE, "no"),
        (Difference(-0.5, 0.1), LESS, "yes"),
        (Difference(0.5, 0.1), SAME, "no"),
        (Difference(0.1, 0.5), MORE, ""),
        (Difference(0.1, 0.5), SAME, ""),
        (Difference(0.5, 0.1), None, ""),
        (None, MORE, ""),
    ],
)
def test_a_difference_agrees_with_the_paper_when_its_sign_does(found, paper, expected):
    assert agreement(found, paper, "perplexity") == expected


def test_each_measure_has_the_papers_sign_of_its_own():
    smoothed_less = PapersRow(4.67, 25.3)
    assert agreement(Difference(-0.1, 0.01), smoothed_less, "perplexity") == "yes"
    assert agreement(Difference(1.0, 0.1), smoothed_less, "bleu") == "no"
