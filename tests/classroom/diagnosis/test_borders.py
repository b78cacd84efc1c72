"""What lies beside a border: said where the border is, and of every draw, those too in which it lies at 0."""

import numpy as np
import pytest
from small_exercises import exercise, said

from npformer.classroom import index as course
from npformer.classroom.exercise import Call
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.input_sampler import Draw
from npformer.classroom.inputs import draw
from npformer.testing.diagnose import find
from npformer.testing.mismatch import Wrong


def grown(student, old, new):
    return student.grown(old, new)


def old_and_new(draw, B, L, N, D):
    return {"old": draw.normal(B, L, D), "new": draw.normal(B, N, D)}


small = exercise(
    "small",
    "def grown(old, new):\n    return np.concatenate([old, new], 1)",
    old_and_new,
    [Call(grown, {"cache": 1})],
    sizes={"L": (0, 8)},
)


@pytest.mark.parametrize("seed", range(3))
def test_a_border_is_told_by_its_size(seed):
    found = said(small, "cache", ("[old, new]", "[old, np.sin(new)]"), seed=seed)
    assert found.text == "cache is wrong only from index L along axis 1 on"
    found = said(small, "cache", ("[old, new]", "[np.sin(old), new]"), seed=seed)
    assert found.text == "cache is wrong only before index L along axis 1"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_of_the_cached_values_the_old_ones_are_right(seed):
    wrong = ("np.concatenate([values, v], 2)", "np.concatenate([values, np.sin(v)], 2)")
    assert said(course.load("kv_cache"), "values", wrong, seed=seed).text.startswith(
        "values is wrong only from index L "
    )


def made(borders, length=7):
    right = [np.random.default_rng(n).normal(size=(length, 2)) for n in borders]
    got = [np.where(np.arange(length)[:, None] >= n, e + np.cos(e), e) for n, e in zip(borders, right, strict=True)]
    return Wrong(got, right, [{}] * len(got), [{}] * len(got))


def test_the_first_index_is_no_border_where_more_is_right():
    assert find(made([1, 1, 1])).text == "is wrong only after the first index along axis 0"
    assert find(made([3, 3, 3])).text == "is wrong only from index 3 (counted from 0) along axis 0 on"
    assert find(made([2, 3, 4])) is None


def test_every_third_draw_has_the_lowest():
    for lowest in (False, True):
        drawn = {Draw(np.random.default_rng(seed), lowest=lowest).whole(0, 3) for seed in range(40)}
        assert drawn == ({0} if lowest else {1, 2, 3})


@pytest.mark.parametrize(
    ("id", "name", "low"), [("positions", "start", 0), ("kv_cache", "start", 0), ("warmup", "early", 1)]
)
def test_what_may_be_lowest_is_so_in_one_draw_of_a_check(id, name, low):
    for seed in range(20):
        drawn = [one.inputs[name] for one in Case(course.load(id), seed).drawn]
        assert drawn[1] == low and min(drawn[0], drawn[2]) > low
    assert draw(course.load("kv_cache"), 0, 4).inputs["keys"].shape[2] == 0


def test_a_mistake_is_not_named_where_it_spares_sentences_that_start_at_0():
    wrong = ("table[start : start + T]", "(table[:T] if start == 0 else table[len(table) - T :])")
    found = said(course.load("positions"), "y", wrong)
    assert "wherever" not in found.text
    wrong = ("table[start : start + T]", "table[len(table) - T :]")
    assert said(course.load("positions"), "y", wrong).id == "the_last_rows"


def test_a_size_that_may_be_0_is_no_reason_to_fall_silent():
    found = said(small, "cache", ("return np", "return 0.37 * np"))
    assert found.text == "cache is right but for a factor 0.37"
