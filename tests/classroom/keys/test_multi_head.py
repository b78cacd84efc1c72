import numpy as np
import pytest

import npformer as npf
from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import MultiHeadAttention

EXERCISE = course.load("multi_head")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    a = Case(EXERCISE, seed).drawn[index].inputs
    layer = MultiHeadAttention(a["query"].shape[-1], a["n_heads"], bias=False, dtype="float64")
    for name in ("w_query", "w_key", "w_value", "w_output"):
        getattr(layer, name).weight.data[...] = a[name]
    with npf.trace(layer) as trace:
        expected = layer.forward(a["query"], a["key"], a["value"], a["mask"])
    y, weights = KEY.multi_head_attention(**a)
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(weights, trace["attention.softmax"].output, rtol=0, atol=1e-13)
