"""SiLU: its values and slopes against slow formulas over the whole line, and at its ends."""

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.layers import SiLU

WHOLE_LINE = np.linspace(-120, 120, 4001)  # beyond where x is cut off
PRECISIONS = [("float64", 1.5e-15), ("float32", 7e-7)]


def run(x):
    silu = SiLU()
    return silu.forward(x), silu.backward(np.ones_like(x))


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_values_equal_formula(dtype, tolerance):
    x = WHOLE_LINE.astype(dtype)
    y, _ = run(x)
    expected = np.array([slow.silu(number) for number in x.tolist()])
    assert (abs(y - expected) / np.maximum(abs(expected), 1)).max() < tolerance and y.dtype == dtype


@pytest.mark.parametrize(("dtype", "tolerance"), PRECISIONS)
def test_derivative(dtype, tolerance):
    x = WHOLE_LINE.astype(dtype)
    _, slope = run(x)
    expected = [
        slow.sigmoid(number) * (1 + number * slow.sigmoid(-number)) for number in x.tolist()
    ]
    assert abs(slope - np.array(expected)).max() < 3 * tolerance and slope.dtype == dtype
