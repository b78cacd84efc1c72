"""GELU and SiLU: values and slopes against slow formulas over the whole line, and at its ends."""

import math

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.layers import GELU, FeedForward, ReLU, SiLU

GELU_LINE = np.linspace(-40, 40, 4001)
SILU_LINE = np.linspace(-120, 120, 4001)  # beyond where x is cut off


def slope_of_gelu(x):
    bell = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    below = (1 + math.erf(x / math.sqrt(2))) / 2
    return below + x * bell


def slope_of_silu(x):
    return slow.sigmoid(x) * (1 + x * slow.sigmoid(-x))


each_in_each_precision = pytest.mark.parametrize(
    ("kind", "formula", "slope", "line", "dtype", "of_values", "of_slopes"),
    [
        (GELU, slow.gelu, slope_of_gelu, GELU_LINE, "float64", 4e-16, 4e-15),
        (GELU, slow.gelu, slope_of_gelu, GELU_LINE, "float32", 2e-7, 5e-7),
        (SiLU, slow.silu, slope_of_silu, SILU_LINE, "float64", 1.5e-15, 4.5e-15),
        (SiLU, slow.silu, slope_of_silu, SILU_LINE, "float32", 7e-7, 21e-7),
    ],
    ids=["GELU-float64", "GELU-float32", "SiLU-float64", "SiLU-float32"],
)


@each_in_each_precision
def test_values_and_slopes_equal_formulas(kind, formula, slope, line, dtype, of_values, of_slopes):
    layer, x = kind(), line.astype(dtype)
    y, slopes = layer.forward(x), layer.backward(np.ones_like(x))
    expected = np.array([formula(number) for number in x.tolist()])
    assert (abs(y - expected) / np.maximum(abs(expected), 1)).max() < of_values
    expected = np.array([slope(number) for number in x.tolist()])
    assert abs(slopes - expected).max() < of_slopes
    assert y.dtype == slopes.dtype == dtype


def test_feed_forward_uses_the_given_activation():
    kinds = {
        name: type(FeedForward(4, 8, activation=name, rng=0).activation)
        for name in ("relu", "gelu", "silu")
    }
    assert (
        kinds == {"relu": ReLU, "gelu": GELU, "silu": SiLU}
        and type(FeedForward(4, 8).activation) is ReLU
    )
    plain, gelu, silu = (
        FeedForward(4, 8, activation=name, rng=0, dtype="float64") for name in kinds
    )
    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_array_equal(plain.linear_1.weight.data, gelu.linear_1.weight.data)
    for layer, formula in ((gelu, slow.gelu), (silu, slow.silu)):
        hidden = np.vectorize(formula)(x @ layer.linear_1.weight.data)
        np.testing.assert_allclose(
            layer.forward(x), hidden @ layer.linear_2.weight.data, rtol=1e-12
        )
