"""Draws with free masks and ids: nothing holds of them by the way in which they are made."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.inputs import PAD, InputSource, make_draw


def ids_of(loose, *shape, V=9):
    for seed in range(40):
        yield InputSource(np.random.default_rng(seed), loose=loose).ids(*shape, vocab_size=V)


def masks_of(loose, *shape):
    for seed in range(40):
        yield InputSource(np.random.default_rng(seed), loose=loose).mask(*shape)


def test_loose_ids_repeat_only_by_chance():
    assert all(
        (ids[:, 0] == ids[:, 1]).all() for ids in ids_of(False, 3, 6) if (ids[:, 1] != PAD).all()
    )
    assert not all((ids[:, 0] == ids[:, 1]).all() for ids in ids_of(True, 3, 6))


def test_any_loose_sentence_may_have_trailing_padding():
    assert all((ids[0] != PAD).all() for ids in ids_of(False, 3, 6))
    every = list(ids_of(True, 3, 6))
    assert any((ids[0] == PAD).any() for ids in every) and any(
        (ids[0] != PAD).all() for ids in every
    )
    assert all((ids[:, :2] != PAD).all() for ids in every)
    # at the end only
    assert all(((ids == PAD)[:, 1:] >= (ids == PAD)[:, :-1]).all() for ids in every)


def test_loose_masks_vary_and_leave_one_key_per_row():
    for shape in [(3, 5, 4), (2, 1, 1)]:
        assert all(mask.any(-1).all() for mask in masks_of(True, *shape))
    first, corner = zip(
        *((mask[..., 0].all(), mask[..., 0, -1].any()) for mask in masks_of(True, 3, 5, 4)),
        strict=True,
    )
    assert not all(first) and any(corner)
    assert all(
        mask[..., 0].all() and not mask[..., 0, -1].any() for mask in masks_of(False, 3, 5, 4)
    )


@pytest.mark.parametrize("id", course.EXERCISES)
def test_key_is_finite_on_loose_draws(id):
    exercise = course.load(id)
    drawn = [make_draw(exercise, 0, i, loose=True) for i in range(3, 6)]
    for results in case_at(id, 0).values_of(exercise.key, exercise.calls, drawn).values():
        assert all(np.isfinite(value).all() for values in results for value in values)
