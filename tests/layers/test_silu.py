"""SiLU: its values and slopes against slow formulas over the whole line, and at its ends."""

import numpy as np
import pytest
import slow_formulas as slow

from npformer.layers import SiLU

WHOLE_LINE = np.linspace(-120, 120, 4001)  # beyond where x is cut off
PRECISIONS = [("float64", 4e-16), ("float32", 2e-7)]


def run(x):
    silu = SiLU()
    return silu.forward(x), silu.backward(np.ones_like(x))


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_values(dtype, tolerance):
    x = WHOLE_LINE.astype(dtype)
    y, _ = run(x)
    expected = np.array([slow.silu(number) for number in x.tolist()])
    assert (abs(y - expected) / np.maximum(abs(expected), 1)).max() < tolerance and y.dtype == dtype


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_slopes(dtype, tolerance):
    x = WHOLE_LINE.astype(dtype)
    _, slope = run(x)
    expected = [slow.sigmoid(number) * (1 + number * slow.sigmoid(-number)) for number in x.tolist()]
    assert abs(slope - np.array(expected)).max() < 3 * tolerance and slope.dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_very_large_numbers_pass_and_very_negative_ones_do_not(dtype):
    largest = np.finfo(dtype).max
    y, slope = run(np.array([largest, -largest, np.inf, -np.inf, 0.0, -0.0], dtype))
    np.testing.assert_array_equal(y[[0, 2]], np.array([largest, np.inf], dtype))
    assert abs(y[[1, 3, 4, 5]]).max() < 1e-17
    np.testing.assert_allclose(slope, [1, 0, 1, 0, 0.5, 0.5], atol=np.finfo(dtype).eps)


def test_a_nan_stays_one():
    assert np.isnan(run(np.array([np.nan, 1.0]))).tolist() == [[True, False], [True, False]]


def test_many_numbers_are_worked_on_in_stretches_that_join():
    x = np.random.default_rng(0).normal(size=(700, 500))
    y, slope = run(x.T)  # rows of x are no cache_chunks of memory here
    parts = [run(row) for row in x.T]
    np.testing.assert_array_equal(y, [part for part, _ in parts])
    np.testing.assert_array_equal(slope, [part for _, part in parts])
