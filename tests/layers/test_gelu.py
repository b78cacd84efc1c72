"""GELU: its values and slopes against slow formulas over the whole line, and at its ends."""

import math

import numpy as np
import pytest
import slow_formulas as slow

from npformer.layers import GELU, FeedForward, ReLU, SiLU

WHOLE_LINE = np.linspace(-40, 40, 4001)
PRECISIONS = [("float64", 4e-16, 4e-15), ("float32", 2e-7, 5e-7)]


def run(x, approximate="none"):
    gelu = GELU(approximate=approximate)
    return gelu.forward(x), gelu.backward(np.ones_like(x))


@pytest.mark.parametrize(("dtype", "tolerance", "_"), PRECISIONS)
@pytest.mark.parametrize(("approximate", "formula"), [("none", slow.gelu), ("tanh", slow.gelu_with_tanh)])
def test_values(approximate, formula, dtype, tolerance, _):
    x = WHOLE_LINE.astype(dtype)
    y, _ = run(x, approximate)
    expected = np.array([formula(number) for number in x.tolist()])
    assert (abs(y - expected) / np.maximum(abs(expected), 1)).max() < tolerance and y.dtype == dtype


@pytest.mark.parametrize(("dtype", "_", "tolerance"), PRECISIONS)
def test_slopes(dtype, _, tolerance):
    x = WHOLE_LINE.astype(dtype)
    _, slope = run(x)
    bell = [math.exp(-number * number / 2) / math.sqrt(2 * math.pi) for number in x.tolist()]
    below = [(1 + math.erf(number / math.sqrt(2))) / 2 for number in x.tolist()]
    assert abs(slope - (np.array(below) + x * np.array(bell))).max() < tolerance


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_very_large_numbers_pass_and_very_negative_ones_do_not(approximate):
    for largest, dtype in ((1e38, "float32"), (1e300, "float64")):
        y, slope = run(np.array([largest, -largest, 0.0, -0.0], dtype), approximate)
        assert y[0] == np.array(largest, dtype) and abs(y[1:]).max() < 1e-17
        np.testing.assert_allclose(slope, [1, 0, 0.5, 0.5], atol=np.finfo(dtype).eps)


def test_infinity_passes():
    y, slope = run(np.array([np.inf, -np.inf]))
    assert y[0] == np.inf and abs(y[1]) < 1e-17 and abs(slope - [1, 0]).max() < 1e-16


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_many_numbers_are_worked_on_in_stretches_that_join(approximate):
    x = np.random.default_rng(0).normal(size=(700, 500))
    y, slope = run(x.T, approximate)  # rows of x are not contiguous here
    parts = [run(row, approximate) for row in x.T]
    np.testing.assert_array_equal(y, [part for part, _ in parts])
    np.testing.assert_array_equal(slope, [part for _, part in parts])


def test_the_two_forms_differ_as_little_as_is_published():
    difference = abs(run(WHOLE_LINE)[0] - run(WHOLE_LINE, "tanh")[0]).max()
    assert 1e-4 < difference < 1e-3


def test_a_feed_forward_network_has_the_activation_that_was_asked_for():
    kinds = {name: type(FeedForward(4, 8, activation=name, rng=0).activation) for name in ("relu", "gelu", "silu")}
    assert kinds == {"relu": ReLU, "gelu": GELU, "silu": SiLU} and type(FeedForward(4, 8).activation) is ReLU
    plain, gelu, silu = (FeedForward(4, 8, activation=name, rng=0, dtype="float64") for name in kinds)
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_array_equal(plain.linear_1.weight.data, gelu.linear_1.weight.data)
    for layer, formula in ((gelu, slow.gelu), (silu, slow.silu)):
        hidden = np.vectorize(formula)(x @ layer.linear_1.weight.data)
        np.testing.assert_allclose(layer.forward(x), hidden @ layer.linear_2.weight.data, rtol=1e-12)
