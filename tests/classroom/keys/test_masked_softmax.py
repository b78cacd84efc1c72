import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.grade import check, run_here
from npformer.layers import Softmax

EXERCISE = course.load("masked_softmax")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("drawn", Case(EXERCISE, 1).drawn, ids=range(3))
def test_the_key_is_the_layer(drawn):
    x, mask, dy = (drawn.inputs[name] for name in ("x", "mask", "dy"))
    layer = Softmax()
    y = layer.forward(x, mask)
    np.testing.assert_allclose(KEY.masked_softmax(x, mask), y, rtol=0, atol=1e-14)
    np.testing.assert_allclose(KEY.masked_softmax_backward(dy, y), layer.backward(dy), rtol=0, atol=1e-14)
    assert not mask.any(-1).all() and not y[~np.broadcast_to(mask, x.shape)].any()


@pytest.mark.parametrize(
    "peak",
    ["0", "np.maximum(visible.max(-1, keepdims=True), 0)", "np.minimum(visible.max(-1, keepdims=True), 0)"],
)
def test_another_peak_than_that_of_the_visible_scores_fails(peak):
    right = "peak = np.where(np.isfinite(peak), peak, 0)"
    assert EXERCISE.key.count(right) == 1
    for seed in range(5):
        report = check(Case(EXERCISE, seed), EXERCISE.key.replace(right, f"peak = {peak}"), run_here, explained=False)
        assert {part.name: part.outcome for part in report.parts}["y"] == "wrong"
