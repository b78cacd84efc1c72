import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import LearnedPositionalEncoding
from npformer.layers.positional_encoding import sinusoids

EXERCISE = course.load("positions")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    n_positions, d_model, x, table, start = Case(EXERCISE, seed).drawn[index].inputs.values()
    np.testing.assert_allclose(KEY.sinusoids(n_positions, d_model), sinusoids(n_positions, d_model), rtol=0, atol=1e-14)
    layer = LearnedPositionalEncoding(d_model, max_len=len(table), rng=0, dtype="float64")
    layer.table.data[:] = table
    np.testing.assert_allclose(KEY.add_positions(x, table, start), layer.forward(x, start), rtol=0, atol=1e-14)


def test_a_dot_product_of_two_rows_tells_their_distance_alone():
    table = KEY.sinusoids(110, 16)
    np.testing.assert_allclose(table[3] @ table[5], table[103] @ table[105], rtol=0, atol=1e-12)
