"""The key of exercise 02 against npformer's own layer and numeric derivatives."""

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.tolerance import error
from npformer.layers import Linear
from npformer.testing.gradient_check import numeric_derivative

EXERCISE = course.load("linear")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for drawn in Case(EXERCISE, 0).drawn]


def pairs(one):
    """Return both batches of a draw with their upstream gradients."""
    return [(one["x"], one["dy"]), (one["x_heads"], one["dy_heads"]), (one["x"][0], one["dy"][0])]


def numeric(forward, dy, array):
    """Return the derivative of sum(dy * forward()) by an array that forward reads."""
    slopes = [numeric_derivative(array, i, 1e-3, lambda: (dy * forward()).sum()) for i in np.ndindex(array.shape)]
    return np.reshape(slopes, array.shape)


@pytest.mark.parametrize("one", DRAWS)
def test_key_agrees_with_the_layer(one):
    for x, dy in pairs(one):
        layer = Linear(*one["w"].shape, dtype="float64")
        layer.weight.data[...], layer.bias.data[...] = one["w"], one["b"]
        assert error(KEY.linear(x, one["w"], one["b"]), layer.forward(x)) < 1e-12
        right = layer.backward(dy), layer.weight.grad, layer.bias.grad
        for got, expected in zip(KEY.linear_backward(dy, x, one["w"]), right, strict=True):
            assert error(got, expected) < 1e-12
