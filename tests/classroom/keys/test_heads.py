import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case

EXERCISE = course.load("heads")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("index", range(3))
def test_the_key_is_what_the_layer_does(index):
    a = Case(EXERCISE, 0).drawn[index].inputs
    heads = a["x"].reshape(*a["x"].shape[:2], a["n_heads"], -1).swapaxes(1, 2)
    np.testing.assert_array_equal(KEY.split_heads(a["x"], a["n_heads"]), heads)
    np.testing.assert_array_equal(KEY.merge_heads(KEY.split_heads(a["x"], a["n_heads"])), a["x"])


@pytest.mark.parametrize("index", range(3))
def test_a_folded_mask_hides_what_the_mask_of_a_sentence_does(index):
    a = Case(EXERCISE, 0).drawn[index].inputs
    batch, length, n_keys = a["mask"].shape
    folded = KEY.mask_of_heads(a["mask"], a["n_heads"])
    assert folded.dtype == bool
    scores = np.random.default_rng(0).normal(size=(batch, a["n_heads"], length, n_keys))
    hidden = np.where(folded, scores.reshape(folded.shape), -np.inf).reshape(scores.shape)
    np.testing.assert_array_equal(hidden, np.where(a["mask"][:, None], scores, -np.inf))
