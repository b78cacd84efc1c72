import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import Embedding

EXERCISE = course.load("embedding")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    ids, table, dy, vocab_size = Case(EXERCISE, seed).drawn[index].inputs.values()
    layer = Embedding(*table.shape, rng=0, dtype="float64")
    layer.table.data[:] = table
    np.testing.assert_allclose(KEY.embed(ids, table), layer.forward(ids), rtol=0, atol=1e-14)
    layer.backward(dy)
    dtable = KEY.embed_backward(dy, ids, vocab_size)
    assert (dtable[0] == 0).all() and (layer.table.grad[0] != 0).any()
    np.testing.assert_allclose(dtable[1:], layer.table.grad[1:], rtol=0, atol=1e-13)
