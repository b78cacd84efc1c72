import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import ScaledDotProductAttention

EXERCISE = course.load("attention")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    inputs = Case(EXERCISE, seed).drawn[index].inputs
    y, weights = KEY.attention(**inputs)
    layer = ScaledDotProductAttention()
    np.testing.assert_allclose(y, layer.forward(*inputs.values()), rtol=0, atol=1e-13)
    np.testing.assert_allclose(weights @ inputs["v"], y, rtol=0, atol=1e-13)
    np.testing.assert_allclose(
        weights.sum(-1), np.broadcast_to(inputs["mask"].any(-1), y.shape[:3]), rtol=0, atol=1e-13
    )
