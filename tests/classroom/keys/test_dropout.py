import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import dropout

EXERCISE = course.load("dropout")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer_that_keeps_the_same_numbers(seed, index, monkeypatch):
    x, dy, p, number = Case(EXERCISE, seed).drawn[index].inputs.values()
    monkeypatch.setattr(dropout, "dropout_mask", lambda rng, shape, p: rng.random(shape) >= key.p)
    layer = dropout.Dropout(p, rng=np.random.default_rng(number))
    key = KEY.Dropout(p, np.random.default_rng(number))
    layer.p = p  # the layer rounds it to a multiple of 1 / 65536
    for _step in range(2):
        np.testing.assert_allclose(key.forward(x), layer.forward(x), rtol=0, atol=1e-14)
        np.testing.assert_allclose(key.backward(dy), layer.backward(dy), rtol=0, atol=1e-14)
    key.training = False
    layer.eval()
    np.testing.assert_array_equal(key.forward(x), layer.forward(x))
    np.testing.assert_array_equal(key.backward(dy), dy)
