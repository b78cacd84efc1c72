"""The error rate and what it is held against, by hand."""

import numpy as np
import pytest

from npformer import InputError
from npformer.datasets import SentencePair
from npformer.evaluation import alignment_baselines, alignment_error_rate, alignment_table

GOLD = {(0, 0), (1, 1), (2, 1), (3, 2)}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (GOLD, 0),
        ({(0, 1), (1, 0)}, 1),
        (set(), 1),
        ({(0, 0), (1, 1)}, 1 - 4 / 6),
        ({(0, 0), (1, 1), (5, 5)}, 1 - 4 / 7),
        (GOLD | {(9, 9), (9, 8)}, 1 - 8 / 10),
        ({(j, i) for i, j in GOLD}, 1 - 4 / 8),
    ],
)
def test_error_rates_equal_hand_calculation(found, expected):
    assert alignment_error_rate([found], [GOLD]) == pytest.approx(expected)


def test_error_rate_counts_links_over_all_pairs():
    """And not averaged over the pairs, where a short one would weigh as much as a long one."""
    assert alignment_error_rate([GOLD, {(1, 1)}], [GOLD, {(0, 0)}]) == pytest.approx(1 - 2 * 4 / 10)


def test_error_rate_without_links():
    assert alignment_error_rate([], []) == alignment_error_rate([set()], [set()]) == 0
    assert alignment_error_rate([{(0, 0)}], [set()]) == 1


@pytest.mark.parametrize("links", ["0-1 1-0", (0, 1), [(0, 1, 2)], [(0.0, 1.0)], ["ab"]])
def test_what_is_no_pair_of_integers_is_no_link(links):
    for sides in ([links], [GOLD]), ([GOLD], [links]):
        with pytest.raises(InputError, match=r"^.* are not the links of a sentence pair: expected"):
            alignment_error_rate(*sides)


def test_links_of_more_pairs_than_gold_links_are_refused():
    with pytest.raises(InputError) as caught:
        alignment_error_rate([GOLD], [GOLD, GOLD])
    assert str(caught.value) == (
        "there are links of 1 sentence pairs and gold links of 2: expected the same number"
    )


def test_links_may_be_lists_as_json_has_them():
    assert alignment_error_rate([[[0, 0], [1, 1]]], [[(0, 0)]]) == pytest.approx(1 / 3)


def test_baselines_without_gold_links_are_refused():
    with pytest.raises(InputError, match=r"^none of 1 sentence pairs has gold links: give pairs"):
        alignment_baselines([SentencePair("a", "b")])


def test_baselines_equal_hand_calculation():
    """Six words to three: the diagonal goes 1, 3, 5; one word of three is right by chance for 4
    of 6 words.
    """
    pair = SentencePair("a b c d e f", "x y z", ((1, 0), (2, 0), (3, 1), (4, 2)))
    rates = alignment_baselines([pair, SentencePair("no links", "here")])
    assert rates.diagonal == pytest.approx(1 - 2 * 2 / 7)
    assert rates.random == pytest.approx(1 - 2 * (4 / 6) / 7)
    assert rates.ideal == pytest.approx(1 - 2 * 3 / 7)


def test_table_marks_the_best_rate_of_all_layers():
    rates = np.array([[0.5, 0.25, 0.4], [0.9, 0.125, 0.3]])  # two heads and their mean
    table = alignment_table(rates, [SentencePair("a b", "x y", ((0, 0), (1, 1)))])
    assert table == (
        "alignment     error rate in % of cross-attention, by head and for the mean of the heads; "
        "* the best\n"
        "              head 0  head 1    mean\n"
        "layer 0         50.0    25.0    40.0\n"
        "layer 1         90.0    12.5*   30.0\n"
        "to compare    words in order 0.0, at random 50.0, one true link per word 0.0"
    )


def test_the_mean_of_the_heads_can_be_the_best():
    rates = np.array([[0.5, 0.25, 0.125]])
    lines = alignment_table(rates, [SentencePair("a b", "x y", ((0, 0), (1, 1)))]).splitlines()
    assert lines[2].split() == ["layer", "0", "50.0", "25.0", "12.5*"]
