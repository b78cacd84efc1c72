"""The phrasebook: what a split promises."""

from collections import Counter
from functools import cache

import pytest

from npformer import InputError
from npformer.datasets import phrasebook
from npformer.text import word_spans

split = cache(phrasebook.split)  # which the tests share


def words_of(text):
    return [text[start:end] for start, end in word_spans(text)]


def test_split_has_requested_sizes_and_unique_sentences():
    train, held_out = split()
    assert (len(train), len(held_out)) == (20_000, 500)
    pairs = train + held_out
    assert len({pair.source for pair in pairs}) == len({pair.target for pair in pairs}) == 20_500


@pytest.mark.parametrize(
    ("sizes", "least"), [((20_000, 500), 10), ((2000, 500), 10), ((300, 60), 1), ((3, 20), 0)]
)
def test_words_of_held_out_sentences_occur_in_training(sizes, least):
    train, held_out = split(*sizes, seed=1)
    assert [len(train), len(held_out)] == [*sizes]
    sources = Counter(word for pair in train for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in train for word in words_of(pair.target))
    assert all(
        sources[word] >= least for pair in held_out for word in words_of(pair.source.lower())
    )
    assert all(targets[word] >= least for pair in held_out for word in words_of(pair.target))


FIRST_TWO = [
    ("Must the child buy this pear?", "Muss das Kind diese Birne kaufen?"),
    (
        "This nice teacher calls the woman because he is happy.",
        "Dieser nette Lehrer ruft die Frau an, weil er glücklich ist.",
    ),
]


def test_seed_splits_and_draws_no_new_sentences():
    first, second = split(), split(20_000, 500, seed=1)
    assert first == phrasebook.split(seed=0)
    assert first[1] != second[1]
    assert sorted(first[0] + first[1]) == sorted(second[0] + second[1])
    assert [pair[:2] for pair in first[1][:2]] == FIRST_TWO


def test_english_is_that_of_the_pairs():
    parts = split(20_000, 500, seed=1)
    for part, documents in zip(parts, phrasebook.split_english(seed=1), strict=True):
        assert documents == ["".join(pair.source + "\n" for pair in part)]


@pytest.mark.parametrize("sizes", [(-1, 5), (5, -1), (20_000, 501)])
def test_more_pairs_than_there_are_and_negative_numbers_are_rejected(sizes):
    with pytest.raises(InputError, match=r"phrasebook was asked for .* at most 20,500 in all"):
        phrasebook.split(*sizes)
