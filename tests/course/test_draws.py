"""The usual draws: what is at fixed places in them, so that a mistake shows there."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import N_MANY, N_MORE, Case
from npformer_course.inputs import LARGEST, PAD, SMALLEST, InputSource, make_draw
from tests.course.diagnosis.small_exercises import embedding, heads, linear

SEEDS = range(100)


def source(seed=0, **settings):
    return InputSource(np.random.default_rng(seed), **settings)


def padding(ids):
    return [tuple(place) for place in np.argwhere(ids == PAD).tolist()]


def test_gains_are_around_1_and_not_near_it():
    distances = source().gain(1000) - 1
    assert {*np.sign(distances)} == {-1, 1}
    assert 0.3 <= np.abs(distances).min() < 0.31 and 0.89 < np.abs(distances).max() <= 0.9


def test_whole_number_is_the_lowest_only_where_numbers_are():
    assert {source(seed).whole(2, 5) for seed in SEEDS} == {3, 4, 5}
    assert source(lowest=True).whole(2, 5) == 2


def test_mask_hides_something_and_leaves_something():
    for seed in SEEDS:
        mask = source(seed).mask(2, 3, 4)
        assert mask[0, 0].tolist() == [True, False, False, False]
        assert mask[..., 0].all() and not mask[..., 0, -1].any()
        assert source(seed).mask(1, 3, 4)[0, 0].tolist() == [True, False, False, False]
        with_empty = source(seed).mask(2, 3, 4, empty=True)
        assert np.argwhere(~with_empty.any(-1)).tolist() == [[0, 2]]
        assert source(seed).mask(1, 1, 1).all()
    # of two rows none has to be special
    assert any(source(seed).mask(1, 2, 4)[0, 0, 1] for seed in SEEDS)
    shares = [source(seed).mask(2, 30, 30)[1].mean() for seed in SEEDS]
    assert np.isclose(np.mean(shares), 2 / 3, atol=0.02)


@pytest.mark.parametrize(
    ("shape", "settings", "places"),
    [
        ((3, 5), {}, [(1, 4), (2, 3), (2, 4)]),
        ((3, 5), {"inside": True}, [(0, 3), (1, 4), (2, 3), (2, 4)]),
        ((3, 3), {"inside": True}, [(1, 2), (2, 1), (2, 2)]),  # too short to have some inside
        ((3, 5), {"pad": False}, []),
        ((4, 2), {}, [(1, 1), (2, 1), (3, 1)]),  # of each sentence a word is left
        ((5,), {}, []),
    ],
)
def test_ids_have_padding_at_the_ends_of_later_sentences(shape, settings, places):
    for seed in SEEDS:
        drawn = source(seed)
        ids = drawn.ids(*shape, vocab_size=7, **settings)
        assert padding(ids) == places and drawn.padded == bool(places)
        assert ids.flat[0] == ids.flat[1]
    drawn = [source(seed).ids(2, 9, vocab_size=7, pad=False) for seed in SEEDS]
    assert {*np.unique(drawn)} == {1, 2, 3, 4, 5, 6}


def test_loose_padding_inside_is_between_the_second_word_and_the_last():
    places = set()
    for seed in SEEDS:
        ids = np.ones((2, 6), int)
        source(seed, loose=True)._pad_inside(ids)
        places.update(padding(ids))
    assert places == {(row, place) for row in (0, 1) for place in (2, 3, 4)}


def sizes_of(exercise, index):
    return [dict(make_draw(exercise, seed, index).sizes) for seed in SEEDS]


def test_sizes_differ_in_two_of_three_draws_and_are_equal_in_the_third():
    for index in (0, 1, 3):
        drawn = sizes_of(linear, index)
        assert all(len({*sizes.values()}) == len(sizes) for sizes in drawn)
        assert {sizes["T"] for sizes in drawn} == {*range(SMALLEST, LARGEST + 1)}
    for index in (2, 5):
        assert sizes_of(linear, index) == [dict.fromkeys("BTDF", 4)] * len(SEEDS)


def test_heads_are_few_and_vocabularies_are_larger():
    assert {sizes["H"] for sizes in sizes_of(heads, 0)} == {2, 3, 4}
    vocabularies = replace(embedding, sizes={})
    assert {sizes["V"] for sizes in sizes_of(vocabularies, 0)} == {*range(6, 13)}
    # as the exercise says, also where all are equal
    assert {sizes["V"] for sizes in sizes_of(embedding, 0)} == {*range(9, 15)}
    assert {sizes["V"] for sizes in sizes_of(embedding, 2)} == {9}


def test_size_that_may_be_0_is_0_in_the_second_draw_alone():
    def inputs(draw, B, S):
        return {"x": draw.normal(B, S), "lowest": draw.lowest}

    one = replace(linear, inputs=inputs, sizes={"S": (0, 3)})
    assert {sizes["S"] for sizes in sizes_of(one, 0)} == {1, 2, 3}
    assert {sizes["S"] for sizes in sizes_of(one, 1)} == {0}
    assert {sizes["S"] for sizes in sizes_of(one, 2)} == {3}
    assert [make_draw(one, 0, index).inputs["lowest"] for index in range(5)] == [
        False,
        True,
        False,
        False,
        True,
    ]


def test_no_draw_of_a_case_is_used_twice():
    case = Case(course.load("embedding"), 0)
    more, many = case.further(N_MORE), case.further(N_MANY)
    assert (len(case.draws), len(more), len(many)) == (3, 5, 20)
    drawn = sorted(draw.inputs["table"].tobytes() for draw in [*case.draws, *more, *many])
    assert all(one != other for one, other in pairwise(drawn))
    # the last ones are free, so that a first word need not be repeated
    for draws, always in ((more, True), (many, False)):
        ids = [draw.inputs["ids"] for draw in draws]
        assert all(one[0, 0] == one[0, 1] for one in ids) is always


def test_solution_that_fails_is_named_with_its_line():
    text = "def linear(x, w, b):\n    return 1 / 0"
    case = Case(linear, 0)
    told = "our own code of linear, line 2: ZeroDivisionError: division by zero"
    with pytest.raises(RuntimeError, match=told):
        case.values_of(text, linear.calls[:1])
