"""GELU, exact and by tanh: values and slopes against slow formulas over the whole line, and at its
ends.
"""

import math

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.layers import GELU, FeedForward, GELUTanh, ReLU, SiLU

WHOLE_LINE = np.linspace(-40, 40, 4001)
PRECISIONS = [("float64", 4e-16, 4e-15), ("float32", 2e-7, 5e-7)]


def run(x):
    gelu = GELU()
    return gelu.forward(x), gelu.backward(np.ones_like(x))


@pytest.mark.parametrize(("dtype", "tolerance", "_"), PRECISIONS)
def test_values_equal_formula(dtype, tolerance, _):
    x = WHOLE_LINE.astype(dtype)
    y, _ = run(x)
    expected = np.array([slow.gelu(number) for number in x.tolist()])
    assert (abs(y - expected) / np.maximum(abs(expected), 1)).max() < tolerance and y.dtype == dtype


@pytest.mark.parametrize(("dtype", "_", "tolerance"), PRECISIONS)
def test_derivative(dtype, _, tolerance):
    x = WHOLE_LINE.astype(dtype)
    _, slope = run(x)
    bell = [math.exp(-number * number / 2) / math.sqrt(2 * math.pi) for number in x.tolist()]
    below = [(1 + math.erf(number / math.sqrt(2))) / 2 for number in x.tolist()]
    assert abs(slope - (np.array(below) + x * np.array(bell))).max() < tolerance


@pytest.mark.parametrize(("dtype", "tolerance", "_"), PRECISIONS)
def test_values_by_tanh_equal_formula(dtype, tolerance, _):
    x = WHOLE_LINE.astype(dtype)
    y = GELUTanh().forward(x)
    expected = np.array([slow.gelu_tanh(number) for number in x.tolist()])
    error = abs(y - expected) / np.maximum(abs(expected), 1)
    assert error.max() < 2 * tolerance and y.dtype == dtype
    assert 4e-4 < abs(y - GELU().forward(x)).max() < 5e-4


@pytest.mark.parametrize(("dtype", "_", "tolerance"), PRECISIONS)
def test_derivative_by_tanh(dtype, _, tolerance):
    x = WHOLE_LINE.astype(dtype)
    gelu = GELUTanh()
    gelu.forward(x)
    slope = gelu.backward(np.ones_like(x))
    expected = []
    for number in x.tolist():
        u = math.sqrt(2 / math.pi) * (number + 0.044715 * number**3)
        du = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * number**2)
        expected.append((1 + math.tanh(u)) / 2 + number * du * (1 - math.tanh(u) ** 2) / 2)
    assert abs(slope - np.array(expected)).max() < 5 * tolerance and slope.dtype == dtype


def test_feed_forward_uses_the_given_activation():
    expected = {"relu": ReLU, "gelu": GELU, "gelu_tanh": GELUTanh, "silu": SiLU}
    kinds = {name: type(FeedForward(4, 8, activation=name, rng=0).activation) for name in expected}
    assert kinds == expected and type(FeedForward(4, 8).activation) is ReLU
    plain, gelu, gelu_tanh, silu = (
        FeedForward(4, 8, activation=name, rng=0, dtype="float64") for name in kinds
    )
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_array_equal(plain.linear_1.weight.data, gelu.linear_1.weight.data)
    formulas = ((gelu, slow.gelu), (gelu_tanh, slow.gelu_tanh), (silu, slow.silu))
    for layer, formula in formulas:
        hidden = np.vectorize(formula)(x @ layer.linear_1.weight.data)
        np.testing.assert_allclose(
            layer.forward(x), hidden @ layer.linear_2.weight.data, rtol=1e-12
        )
