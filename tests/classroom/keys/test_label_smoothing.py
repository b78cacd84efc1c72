"""The key of the exercise, against the house's loss and against a numeric derivative."""

import math

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.tasks import LabelSmoothingLoss

EXERCISE = course.load("label_smoothing")
KEY = module_of(EXERCISE.key)
DRAWN = [drawn.inputs for seed in range(3) for drawn in Case(EXERCISE, seed).drawn]


@pytest.mark.parametrize("inputs", DRAWN)
def test_as_the_houses_loss(inputs):
    logits, real, V, eps = inputs["logits"], inputs["real"], inputs["vocab_size"], inputs["eps"]
    targets = np.where(real, inputs["targets"], 0)
    loss = LabelSmoothingLoss(eps=eps)
    q = KEY.smooth_targets(targets, V, eps)
    assert math.isclose(KEY.cross_entropy(logits, q, real), loss.forward(logits, targets), rel_tol=1e-10)
    dlogits, _ = loss.backward()
    np.testing.assert_allclose(KEY.cross_entropy_backward(logits, q, real), dlogits, rtol=0, atol=1e-12)


def test_draws_have_padding_large_scores_and_rows_that_sum_to_one():
    for inputs in DRAWN:
        assert not inputs["real"].all() and inputs["real"].any(1).all() and inputs["logits"].max() > 700
        np.testing.assert_allclose(inputs["q"].sum(-1), 1)
