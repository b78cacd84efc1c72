"""The data set of dates: what a split promises."""

import re

import pytest

from npformer import InputError
from npformer.datasets import dates


@pytest.mark.parametrize("seed", [0, 3])
def test_default_split(seed):
    """Distinct sources, held-out dates that train never has, all years, both languages."""
    train, held_out = dates.split(seed=seed)
    assert (len(train), len(held_out)) == (20_000, 500)
    assert len({pair.source for pair in train + held_out}) == 20_500
    assert not {pair.target for pair in train} & {pair.target for pair in held_out}
    assert {int(pair.target[:4]) for pair in train} == set(range(1900, 2100))
    german = sum(bool(re.search(r"\d\.|ä|Mai|der|den|am|er ", pair.source)) for pair in held_out)
    assert 150 < german < 350
    assert not any(pair.alignment for pair in train + held_out)


def test_seed_splits_and_draws_no_new_dates():
    assert dates.split(50, 5, seed=1) == dates.split(50, 5, seed=1) != dates.split(50, 5, seed=2)
    first, second = dates.split(seed=1), dates.split(seed=2)
    assert sorted(first[0] + first[1]) == sorted(second[0] + second[1])


def test_larger_n_train_only_adds():
    train, held_out = dates.split(80, 5, seed=1)
    assert (train[:50], held_out) == dates.split(50, 5, seed=1)


@pytest.mark.parametrize("sizes", [(-1, 5), (5, -1), (20_000, 501)])
def test_more_dates_than_there_are_and_negative_numbers_are_rejected(sizes):
    asked = "dates was asked for {:,} + {:,} examples: expected no negative number, and at most "
    with pytest.raises(InputError) as caught:
        dates.split(*sizes)
    assert str(caught.value) == asked.format(*sizes) + "20,500 in all"
