import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers.multi_head_attention import SelfAttention

EXERCISE = course.load("multi_head_backward")
KEY = module_of(EXERCISE.key)
MATRICES = ("w_query", "w_key", "w_value", "w_output")


@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(index):
    a = Case(EXERCISE, 0).drawn[index].inputs
    layer = SelfAttention(a["x"].shape[-1], a["q"].shape[1], bias=False, dtype="float64")
    for name in MATRICES:
        getattr(layer, name).weight.data[...] = a[name]
    layer.zero_grad()
    mask = (a["weights"] > 0)[:, 0]
    y = layer.forward(a["x"], mask)
    merged = a["heads"].swapaxes(1, 2).reshape(a["x"].shape)
    np.testing.assert_allclose(merged @ a["w_output"], y, rtol=0, atol=1e-12)

    dx, *dws = KEY.self_attention_backward(**a)
    np.testing.assert_allclose(dx, layer.backward(a["dy"]), rtol=0, atol=1e-12)
    for name, dw in zip(MATRICES, dws, strict=True):
        np.testing.assert_allclose(dw, getattr(layer, name).weight.grad, rtol=0, atol=1e-12)
