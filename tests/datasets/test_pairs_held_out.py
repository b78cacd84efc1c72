"""Pairs of one's own files, of which some are held out."""

import pytest

from npformer import InputError
from npformer.datasets import SentencePair
from npformer.datasets.own_files import hold_out


def made(*numbers):
    return [SentencePair(f"s{n}", f"t{n}") for n in numbers]


def test_held_out_pairs_are_not_in_training():
    pairs = made(*(n % 50 for n in range(1000)))
    train, held_out = hold_out(pairs, seed=0)
    assert len(held_out) == 1 and len(train) == 980 and not {*held_out} & {*train}
    assert {*held_out} | {*train} == {*pairs} and train == [
        pair for pair in pairs if pair not in held_out
    ]


def test_unique_pairs_are_split_into_two_parts():
    train, held_out = hold_out(made(*range(1000)), seed=0)
    assert (len(train), len(held_out)) == (980, 20) and sorted(train + held_out) == sorted(
        made(*range(1000))
    )
    assert hold_out(made(*range(1000)), seed=1)[1] != held_out


def test_copies_may_have_other_alignments():
    pairs = made(*range(100))
    aligned = [pair._replace(alignment=((0, 0),)) for pair in pairs]
    train, held_out = hold_out(pairs + aligned)
    assert len(held_out) == 2 and len(train) == 196
    assert not {pair[:2] for pair in held_out} & {pair[:2] for pair in train}


@pytest.mark.parametrize("pairs", [made(), made(1), made(1, 1, 1)])
def test_fewer_than_two_different_pairs_are_rejected(pairs):
    with pytest.raises(
        InputError,
        match="none is left to train on when 1 are held out: expected two different ones",
    ):
        hold_out(pairs)


def test_at_most_a_thousand_pairs_are_held_out():
    assert len(hold_out(made(*range(50_100)))[1]) == 1000
