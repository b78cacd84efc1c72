"""The data set of mistakes: what a split promises; only the mistake gives a label away."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from npformer.datasets import get, mistakes
from npformer.datasets.mistakes import KINDS
from npformer.utils.errors import InputError

COMPOUND = r"(auf|ein|zurück|fern|zu|aus|an|mit)"


@pytest.fixture(scope="module", params=[0, 7])
def split(request):
    return mistakes.split(seed=request.param)


def words_of(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def test_sizes_and_shares(split):
    assert [len(part) for part in split] == [20_000, 1000, 1000]
    for part in split:
        counts = Counter(label for label, _ in part)
        assert counts.keys() == {"right", *KINDS} and counts.pop("right") == len(part) / 2
        assert max(counts.values()) - min(counts.values()) <= 1
        first = Counter(label for label, _ in part[:500])
        assert 200 < first["right"] < 300, "in random order"


def test_texts_are_unique(split):
    assert len({text for part in split for _, text in part}) == 22_000


def test_errors_use_only_words_of_correct_sentences(split):
    seen = Counter(
        word for label, text in split[0] if label == "right" for word in re.findall(r"\w+", text)
    )
    wrong = Counter(
        word for label, text in split[0] if label != "right" for word in re.findall(r"\w+", text)
    )
    assert not [word for word in wrong if wrong[word] > 20 and not seen[word]]
    ways_to_tell = [word for word in wrong if wrong[word] > 50 and wrong[word] > 5 * seen[word]]
    assert all(re.match(COMPOUND, word.lower()) for word in ways_to_tell), ways_to_tell


def test_correct_and_incorrect_sentences_have_equal_structure(split):
    """Right and wrong sentences have as many questions, conjunctions, modal verbs and words."""
    right, wrong = (
        [text for label, text in split[0] if (label == "right") == is_right]
        for is_right in (True, False)
    )
    for pattern in (
        r"\?$",
        ", weil",
        ", dass",
        " nicht ",
        r"\b(kann|können|will|wollen|muss)\b",
        "^(Der|Die|Das|Er)",
    ):
        shares = [
            sum(bool(re.search(pattern, text)) for text in texts) / 10_500
            for texts in (right, wrong)
        ]
        assert abs(shares[0] - shares[1]) < 0.025, (pattern, shares)
    lengths = [sum(len(words_of(text)) for text in texts) / len(texts) for texts in (right, wrong)]
    assert abs(lengths[0] - lengths[1]) < 0.25, (
        "a prefix left on is a word less, and nothing else tells"
    )


def test_correct_and_incorrect_sentences_do_not_alternate():
    wrong = [label != "right" for label, _ in mistakes.split(60, 0, 0)[0]]
    assert sum(wrong) == 30 and 10 < sum(a == b for a, b in pairwise(wrong)) < 50


def test_seed_splits_and_draws_no_new_texts():
    first, second = mistakes.split(seed=4), mistakes.split(seed=5)
    assert first == mistakes.split(seed=4)
    assert all(one != other for one, other in zip(first, second, strict=True))
    assert sorted([*first[0], *first[1], *first[2]]) == sorted([*second[0], *second[1], *second[2]])


@pytest.mark.parametrize("sizes", [(0, 3, 13), (8000, 500, 1000), (22_000, 0, 0), (5, 6, 21_989)])
def test_parts_have_the_requested_sizes(sizes):
    parts = mistakes.split(*sizes)
    assert tuple(map(len, parts)) == sizes
    assert len({text for part in parts for _, text in part}) == sum(sizes)


@pytest.mark.parametrize("sizes", [(-1, 5, 5), (5, -1, 5), (5, 5, -1), (22_000, 1, 0)])
def test_too_many_or_too_few_texts_are_rejected(sizes):
    with pytest.raises(InputError, match=r"mistakes was asked for .* at most 22,000") as caught:
        mistakes.split(*sizes)
    assert "\n" not in str(caught.value)


def test_mistakes_is_a_data_set_with_three_parts():
    data = get("mistakes")
    train, held_out, test = mistakes.split(seed=4)
    assert data.load("test", "train", "held_out", seed=4) == [test, train, held_out]
