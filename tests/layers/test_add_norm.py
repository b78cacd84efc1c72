"""Add & Norm: what is dropped out, what is added, and what is in the sub-layer's place."""

import numpy as np
import pytest

from npformer import Module
from npformer.layers import FeedForward, PostNorm, PreNorm

both = pytest.mark.parametrize("kind", [PostNorm, PreNorm])


class PassThrough(Module):
    """A norm, or a sub-layer, that lets everything pass."""

    def forward(self, x):
        return x

    def backward(self, dy):
        return dy


@both
def test_dropout_applies_only_to_sublayer_output(kind):
    """The residual comes through whole (section 5.4): forward, y - x is 0 or doubled; backward, dx - dy as well."""
    layer = kind(PassThrough(), 50, dropout=0.5, rng=0)
    layer.norm = PassThrough()
    x, dy = np.random.default_rng(1).uniform(1, 2, (2, 8, 50))
    dropped = layer.forward(x) - x
    kept = np.abs(dropped) > 1e-9
    np.testing.assert_allclose(dropped, np.where(kept, 2 * x, 0))
    np.testing.assert_allclose(layer.backward(dy) - dy, np.where(kept, 2 * dy, 0))
    assert 0.3 < kept.mean() < 0.7


@both
def test_sublayer_can_be_any_function(kind):
    layer = kind(FeedForward(6, 8, rng=0, dtype="float64"), 6, rng=1, dtype="float64").eval()
    x = np.random.default_rng(2).normal(size=(3, 6))
    np.testing.assert_array_equal(layer.residual(x, layer.sublayer.forward), layer.forward(x))
    norm = layer.norm.forward
    expected = norm(x + np.sin(x)) if kind is PostNorm else x + np.sin(norm(x))
    np.testing.assert_allclose(layer.residual(x, np.sin), expected)
