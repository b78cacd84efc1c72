"""The key of the exercise, against the house's layers on one table, and against a numeric derivative."""

import numpy as np
import pytest

from npformer import Parameter
from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.layers import Embedding, Generator

EXERCISE = course.load("tied_generator")
KEY = module_of(EXERCISE.key)
DRAWN = [drawn.inputs for seed in range(3) for drawn in Case(EXERCISE, seed).drawn]


def assert_same(a, b):
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-10 * np.abs(b).max())


@pytest.mark.parametrize("inputs", DRAWN)
def test_as_the_houses_layers_on_one_table(inputs):
    x, table, dlogits = inputs["x"], Parameter(inputs["table"].copy()), inputs["dlogits"]
    generator = Generator(*table.data.shape, table=table)
    assert_same(KEY.generator(x, table.data), generator.forward(x))
    dx = generator.backward(dlogits)
    mine, dtable = KEY.generator_backward(dlogits, x, table.data)
    assert_same(mine, dx)
    assert_same(dtable, table.grad)

    for ids, dy in ((inputs["src"], inputs["dsrc"]), (inputs["tgt"], inputs["dtgt"])):
        embedding = Embedding(*table.data.shape, table=table)
        embedding.forward(ids)
        embedding.backward(dy)
    tied = KEY.tied_gradient(dtable, inputs["src"], inputs["dsrc"], inputs["tgt"], inputs["dtgt"])
    assert_same(tied, table.grad)
