import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import LayerNorm

EXERCISE = course.load("layer_norm")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    x, gain, bias, eps = Case(EXERCISE, seed).drawn[index].inputs.values()
    layer = LayerNorm(len(gain), eps=eps, dtype="float64")
    layer.gain.data[:], layer.bias.data[:] = gain, bias
    y, xhat, rstd = KEY.layer_norm(x, gain, bias, eps)
    right = layer.forward(x)
    np.testing.assert_allclose(y, right, rtol=0, atol=1e-12)
    for kept, remembered in zip((xhat, rstd), layer.recall(right), strict=True):
        np.testing.assert_allclose(kept, remembered, rtol=0, atol=1e-12)
