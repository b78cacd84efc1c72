"""The key of exercise 06 against npformer's own masks."""

import numpy as np
import pytest

from npformer import models
from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case

EXERCISE = course.load("masks")
KEY = module_of(EXERCISE.key)
DRAWS = [drawn.inputs for seed in range(10) for drawn in Case(EXERCISE, seed).drawn]


def same(got, expected):
    """Tell whether two masks are equal, in shape and kind too."""
    return got.dtype == expected.dtype == bool and got.shape == expected.shape and np.array_equal(got, expected)


@pytest.mark.parametrize("one", DRAWS[:6])
def test_key_agrees_with_the_masks_of_the_models(one):
    ids, pad_id, length = one["ids"], one["pad_id"], one["length"]
    padding, causal = models.padding_mask(ids, pad_id), models.causal_mask(length)
    assert same(KEY.padding_mask(ids, pad_id), padding)
    assert same(KEY.causal_mask(length), causal)
    assert same(KEY.target_mask(ids, pad_id), padding & causal)


def test_every_draw_has_padding_and_a_word_of_id_0():
    for one in DRAWS:
        assert one["pad_id"] != 0 and (one["ids"] == 0).any() and (one["ids"] == one["pad_id"]).any()
        assert KEY.target_mask(one["ids"], one["pad_id"]).any(-1).all()
