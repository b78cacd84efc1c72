"""LayerNorm of very large numbers: no power of them overflows or is lost."""

import numpy as np

from npformer.layers import LayerNorm


def test_scale_of_x_affects_only_dx():
    rng = np.random.default_rng(0)
    x, dy = (
        rng.normal(size=(2, 3, 8)).astype("float32"),
        rng.normal(size=(2, 3, 8)).astype("float32"),
    )
    norm, scaled, scale = LayerNorm(8, eps=1e-12), LayerNorm(8, eps=1e-12), 2.0**50
    np.testing.assert_allclose(scaled.forward(scale * x), norm.forward(x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(scale * scaled.backward(dy), norm.backward(dy), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(scaled.gain.grad, norm.gain.grad, rtol=1e-4, atol=1e-5)
