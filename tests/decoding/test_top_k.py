import numpy as np
import pytest

from npformer.decoding.scores import top_k, top_k_by_blocks


@pytest.mark.parametrize("top_k", [top_k, top_k_by_blocks])
@pytest.mark.parametrize("size", [1, 2, 9, 129, 1000, 1099])
# with AVX-512 a partition leaves up to 128 columns in their order
@pytest.mark.parametrize("k", [1, 2, 8, 30, 300])
def test_top_k_equals_first_k_of_sorted_row(size, k, top_k):
    scores = np.random.default_rng(size).normal(size=(5, size)).astype("float32")
    before, k = scores.copy(), min(k, size)
    largest, columns = top_k(scores, k)
    np.testing.assert_array_equal(largest, -np.sort(-scores, 1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(scores, columns, 1), largest)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize("top_k", [top_k, top_k_by_blocks])
@pytest.mark.parametrize("size", [20, 1000, 3456])
def test_top_k_with_ties_and_minus_infinity(size, top_k):
    scores = np.random.default_rng(0).integers(0, 3, (6, size)).astype(float)
    scores[3:] = -np.inf
    scores[4, 5], scores[5, [3, 17]] = 1, (2, 1)
    largest, columns = top_k(scores, 10)
    np.testing.assert_array_equal(largest, -np.sort(-scores, 1)[:, :10])
    assert all(len(set(row)) == 10 for row in columns.tolist())


# the first and the last column, both sides of the first block's end and of the last one's
@pytest.mark.parametrize("column", [0, 99, 100, 998, 999, 1000, 1001, 1098])
def test_largest_score_is_found_in_any_column(column):
    scores = np.zeros((1, 1099))
    scores[0, column] = 1
    largest, columns = top_k_by_blocks(scores, 2)
    assert (largest[0, 0], columns[0, 0]) == (1, column)
