"""The key of the exercise, against the house's schedule."""

import math

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.inputs import draw
from npformer.training import WarmupSchedule

EXERCISE = course.load("warmup")
KEY = module_of(EXERCISE.key)
DRAWN = [drawn.inputs for seed in range(5) for drawn in Case(EXERCISE, seed).drawn]


@pytest.mark.parametrize("inputs", DRAWN)
def test_as_the_houses_schedule(inputs):
    sizes = inputs["d_model"], inputs["warmup_steps"]
    schedule = WarmupSchedule(*sizes)
    for step in (1, inputs["early"], inputs["warmup_steps"], inputs["late"]):
        assert math.isclose(KEY.learning_rate(step, *sizes), schedule(step), rel_tol=1e-12)
    np.testing.assert_allclose(KEY.learning_rate(inputs["steps"], *sizes), schedule(inputs["steps"]), rtol=1e-12)


def test_draws_have_the_first_step_and_both_sides_of_the_end_of_the_warm_up():
    for inputs in DRAWN:
        assert 1 in inputs["steps"] and inputs["early"] < inputs["warmup_steps"] < inputs["late"]


def test_steps_lie_all_over_the_warm_up_and_a_single_one_may_be_any():
    many = [draw(EXERCISE, 0, i).inputs for i in range(40)]
    shares = [inputs["early"] / inputs["warmup_steps"] for inputs in many]
    assert min(shares) < 0.2 and max(shares) > 0.9 and np.ptp(np.histogram(shares, 4, (0, 1))[0]) < 25
