"""The key of exercise 01 against known derivatives and npformer's gradient check."""

import numpy as np
import pytest

from npformer.testing import numeric_derivative
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of
from npformer_course.tolerance import error

EXERCISE = course.load("numeric_gradient")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for seed in range(20) for drawn in Case(EXERCISE, seed).draws]


@pytest.mark.parametrize("one", DRAWS[:9])
def test_gradients_equal_known_derivatives(one):
    x, w, dy, h = one["x"], one["w"], one["dy"], one["h"]
    dx = KEY.numeric_gradient(lambda x: np.tanh(x @ w), x, dy, h)
    assert error(dx, (dy * (1 - np.tanh(x @ w) ** 2)) @ w.T) < 1e-6

    x, dy = one["x_mixed"], one["dy_mixed"]
    slopes = dy * np.cos(x + x.sum())
    assert (
        error(KEY.numeric_gradient(lambda x: np.sin(x + x.sum()), x, dy, h), slopes + slopes.sum())
        < 1e-6
    )

    assert (
        error(
            KEY.numeric_gradient(np.transpose, one["x_viewed"], one["dy_viewed"], h),
            one["dy_viewed"].T,
        )
        < 1e-9
    )


def test_gradient_agrees_with_npformer_gradient_check():
    one = DRAWS[0]
    x, w, dy = one["x"], one["w"], one["dy"]
    moved = x.copy()
    there = [
        numeric_derivative(moved, index, 1e-3, lambda: float((dy * np.tanh(moved @ w)).sum()))
        for index in np.ndindex(x.shape)
    ]
    dx = KEY.numeric_gradient(lambda x: np.tanh(x @ w), x, dy)
    assert error(dx, np.reshape(there, x.shape)) < 1e-8


def test_x_is_restored_bit_for_bit():
    x = np.array([0.1, 1e9, -3.3])
    before = x.tobytes()
    KEY.numeric_gradient(np.sin, x, np.ones(3))
    assert x.tobytes() == before


def test_relative_error_equals_course_error():
    for one in DRAWS:
        got, expected = one["got"], one["expected"]
        assert np.isclose(
            KEY.relative_error(got, expected), error(got, expected), rtol=1e-12, atol=0
        )
        zeros = np.zeros(got.shape)
        assert KEY.relative_error(one["got_for_zeros"], zeros) == error(one["got_for_zeros"], zeros)
    assert KEY.relative_error(np.zeros(2), np.zeros(2)) == 0
