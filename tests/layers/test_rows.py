"""Maxima over rows: the fast forms agree with the plain one at every width."""

import numpy as np
import pytest

from npformer.layers.reductions import row_max


@pytest.mark.parametrize("width", [1, 2, 47, 48, 49, 63, 64, 95, 96, 97, 300])
def test_the_largest_of_a_row(width):
    x = np.random.default_rng(width).normal(size=(2, width + 1, width))
    x[0, np.arange(width), np.arange(width)] = 9.0  # each place is the largest of some row
    np.testing.assert_array_equal(row_max(x), x.max(-1, keepdims=True))


def test_a_nan_is_the_largest_of_its_row():
    assert np.isnan(row_max(np.array([[1.0] * 63 + [np.nan], [2.0] * 64]))).tolist() == [[True], [False]]
