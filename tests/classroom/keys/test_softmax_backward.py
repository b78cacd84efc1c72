"""The key of exercise 04 against npformer's own layer and numeric derivatives."""

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.tolerance import error
from npformer.layers import Softmax

EXERCISE = course.load("softmax_backward")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for drawn in Case(EXERCISE, 0).drawn]
AXES = pytest.mark.parametrize("names", [("dy", "y"), ("dy_heads", "y_heads")])


@AXES
@pytest.mark.parametrize("one", DRAWS)
def test_key_agrees_with_the_layer(one, names):
    dy, y = (one[name] for name in names)
    layer = Softmax()
    assert error(layer.forward(np.log(y)), y) < 1e-14
    assert error(KEY.softmax_backward(dy, y), layer.backward(dy)) < 1e-14
