import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import CrossAttention

EXERCISE = course.load("cross_attention_backward")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    case = Case(EXERCISE, seed)
    inputs = case.drawn[index].inputs
    layer = CrossAttention(inputs["dy"].shape[-1], inputs["q"].shape[1], bias=False, rng=0, dtype="float64")
    for name in ("w_query", "w_key", "w_value", "w_output"):
        getattr(layer, name).weight.data[:] = inputs[name]
    layer.forward(inputs["x"], inputs["memory"], inputs["mask"][:, 0])
    for mine, theirs in zip(case.expected["layer"][index], layer.backward(inputs["dy"]), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)
