import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import ScaledDotProductAttention

EXERCISE = course.load("attention_backward")
KEY = module_of(EXERCISE.key)


def arrays(seed, index):
    """Return a draw's arrays by name, with the mask that its weights tell of."""
    inputs = Case(EXERCISE, seed).drawn[index].inputs
    return inputs | {"mask": inputs["weights"] > 0}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    a = arrays(seed, index)
    layer = ScaledDotProductAttention()
    y = layer.forward(a["q"], a["k"], a["v"], a["mask"])
    np.testing.assert_allclose(a["weights"] @ a["v"], y, rtol=0, atol=1e-13)
    mine = KEY.attention_backward(a["dy"], a["q"], a["k"], a["v"], a["weights"])
    for one, other in zip(mine, layer.backward(a["dy"]), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13)
