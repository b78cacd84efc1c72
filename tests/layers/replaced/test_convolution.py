"""Convolutions: their values against slow formulas, what each position sees, and how they start."""

import numpy as np
import pytest

from npformer import slow_formulas as slow
from npformer.layers import Convolution

B, T, D, F = 3, 7, 5, 4
REAL = np.array([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 1, 0]], bool)
# the last is wider than the sentence
SHAPES = [(1, 1), (2, 1), (3, 1), (4, 1), (3, 2), (2, 3), (5, 4)]


def built(rng, **settings):
    """Return a layer with weights and a bias of order 1, and x."""
    layer = Convolution(D, F, rng=rng, dtype="float64", **settings)
    layer.bias.data += rng.normal(size=F)
    return layer, rng.normal(size=(B, T, D))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("real", [None, REAL], ids=["full", "masked"])
@pytest.mark.parametrize(("width", "dilation"), SHAPES)
def test_values_equal_formula(width, dilation, real, causal):
    layer, x = built(np.random.default_rng(0), width=width, dilation=dilation, causal=causal)
    y, weights = layer.forward(x, real), layer.state_dict()
    before = (width - 1) * dilation if causal else (width - 1) * dilation // 2
    for b in range(B):
        expected = slow.convolution(
            weights, x[b], np.ones(T, bool) if real is None else real[b], dilation, before
        )
        np.testing.assert_allclose(y[b], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("causal", "seen"), [(False, [1, 3, 5]), (True, [3, 1])])
def test_receptive_field(causal, seen):
    layer, x = built(np.random.default_rng(1), width=3, dilation=2, causal=causal)
    dy = np.zeros((B, T, F))
    dy[:, 3] = 1
    layer.forward(x)
    dx = layer.backward(dy)
    assert set(np.flatnonzero(dx.any((0, 2)))) == set(seen)


def test_padding_has_no_gradient():
    layer, x = built(np.random.default_rng(2))
    y = layer.forward(x, REAL)
    dx = layer.backward(np.ones_like(y))
    assert not dx[~REAL].any() and dx[REAL].all()


def test_sentences_are_independent():
    layer, x = built(np.random.default_rng(3), width=5, dilation=3)
    y = layer.forward(x)
    for b in range(B):
        np.testing.assert_allclose(layer.forward(x[b : b + 1])[0], y[b], rtol=1e-12)


def test_initial_weights_have_glorot_variance():
    layer = Convolution(64, 96, width=5, rng=0)
    assert layer.weight.data.var() == pytest.approx(2 / (5 * (64 + 96)), rel=0.05)
    assert (
        not np.isclose(layer.weight.data[0], layer.weight.data[1]).all()
        and not layer.bias.data.any()
    )
