"""The key of exercise 03 against npformer's own layer."""

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.tolerance import error
from npformer.layers import Softmax

EXERCISE = course.load("softmax")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for seed in range(3) for drawn in Case(EXERCISE, seed).drawn]


@pytest.mark.parametrize("one", DRAWS)
def test_key_agrees_with_the_layer(one):
    for x in (*one.values(), one["x"][0, 0]):
        assert error(KEY.softmax(x), Softmax().forward(x)) < 1e-14


@pytest.mark.parametrize("one", DRAWS)
def test_large_scores_have_powers_beyond_floats_and_means_far_from_their_maximum(one):
    x = one["x_large"]
    assert np.allclose(KEY.softmax(x).sum(-1), 1, rtol=0, atol=1e-12)
    with np.errstate(all="ignore"):
        assert {*np.exp(x).ravel()} == {0.0, np.inf}
        assert np.isinf(np.exp(x - x.mean(-1, keepdims=True))).any()
