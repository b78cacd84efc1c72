import numpy as np
import pytest

from npformer.decoding.top_k import top_k


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 64, 129, 1000, 8191, 8192])
@pytest.mark.parametrize("k", [1, 2, 8, 30])
def test_it_is_the_front_of_the_sorted_row(size, k):
    scores = np.random.default_rng(size).normal(size=(5, size)).astype("float32")
    k = min(k, size)
    largest, where = top_k(scores, k)
    np.testing.assert_array_equal(largest, -np.sort(-scores, 1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(scores, where, 1), largest)


@pytest.mark.parametrize("size", [8, 9, 15, 1001, 1007])
def test_the_best_may_stand_at_either_end(size):
    rising = np.arange(size, dtype="float32")
    _, where = top_k(np.stack([rising, -rising]), 3)
    assert where.tolist() == [[size - 1, size - 2, size - 3], [0, 1, 2]]


@pytest.mark.parametrize("size", [20, 1000])
def test_equal_scores_and_minus_infinity(size):
    scores = np.random.default_rng(0).integers(0, 3, (6, size)).astype(float)
    scores[3:] = -np.inf
    scores[4, 5], scores[5, [3, 17]] = 1, (2, 1)
    largest, where = top_k(scores, 10)
    np.testing.assert_array_equal(largest, -np.sort(-scores, 1)[:, :10])
    np.testing.assert_array_equal(np.take_along_axis(scores, where, 1), largest)
    assert all(len(set(row)) == 10 for row in where.tolist()), "an entry came up twice"


def test_the_scores_are_left_as_they_were():
    scores = np.random.default_rng(0).normal(size=(3, 500))
    before = scores.copy()
    top_k(scores, 4)
    np.testing.assert_array_equal(scores, before)
