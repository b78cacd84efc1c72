"""The key of exercise 05 against npformer's own layer and numeric derivatives."""

import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.tolerance import error
from npformer.layers import FeedForward

EXERCISE = course.load("feed_forward")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for drawn in Case(EXERCISE, 0).drawn]
NAMES = ("x", "w1", "b1", "w2", "b2")


@pytest.mark.parametrize("one", DRAWS)
def test_key_agrees_with_the_layer(one):
    layer = FeedForward(*one["w1"].shape, dtype="float64")
    parameters = [layer.linear_1.weight, layer.linear_1.bias, layer.linear_2.weight, layer.linear_2.bias]
    for parameter, name in zip(parameters, NAMES[1:], strict=True):
        parameter.data[...] = one[name]
    y, hidden = KEY.feed_forward(*(one[name] for name in NAMES))
    assert error(y, layer.forward(one["x"])) < 1e-12
    assert error(hidden, one["hidden"]) < 1e-12
    right = [layer.backward(one["dy"]), *(parameter.grad for parameter in parameters)]
    found = KEY.feed_forward_backward(one["dy"], one["x"], hidden, one["w1"], one["w2"])
    for got, expected in zip(found, right, strict=True):
        assert error(got, expected) < 1e-12
