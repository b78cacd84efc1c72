"""Add & Norm: what is dropped out, what is added, and what is in the sub-layer's place."""

import numpy as np
import pytest

from npformer import Module
from npformer.layers import PostNorm, PreNorm

both = pytest.mark.parametrize("kind", [PostNorm, PreNorm])


class PassThrough(Module):
    """A norm, or a sub-layer, that lets everything pass."""

    def forward(self, x):
        return x

    def backward(self, dy):
        return dy


@both
def test_dropout_applies_only_to_sublayer_output(kind):
    """The residual comes through whole (section 5.4): forward, y - x is 0 or doubled; backward,
    dx - dy as well.
    """
    layer = kind(PassThrough(), 50, dropout=0.5, rng=0)
    layer.norm = PassThrough()
    x, dy = np.random.default_rng(1).uniform(1, 2, (2, 8, 50))
    dropped = layer.forward(x) - x
    kept = np.abs(dropped) > 1e-9
    np.testing.assert_allclose(dropped, np.where(kept, 2 * x, 0))
    np.testing.assert_allclose(layer.backward(dy) - dy, np.where(kept, 2 * dy, 0))
    assert 0.3 < kept.mean() < 0.7
