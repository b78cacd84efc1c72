import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.exercise import module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.grade import check, run_here
from npformer.classroom.inputs import draw
from npformer.layers import Embedding

EXERCISE = course.load("embedding")
KEY = module_of(EXERCISE.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("index", range(3))
def test_the_key_is_the_layer(seed, index):
    ids, table, dy, vocab_size = Case(EXERCISE, seed).drawn[index].inputs.values()
    layer = Embedding(*table.shape, rng=0, dtype="float64")
    layer.table.data[:] = table
    np.testing.assert_allclose(KEY.embed(ids, table), layer.forward(ids), rtol=0, atol=1e-14)
    layer.backward(dy)
    dtable = KEY.embed_backward(dy, ids, vocab_size)
    assert (dtable[0] == 0).all() and (layer.table.grad[0] != 0).any()
    np.testing.assert_allclose(dtable[1:], layer.table.grad[1:], rtol=0, atol=1e-13)


def test_the_key_is_the_derivative():
    ids, table, dy, vocab_size = Case(EXERCISE, 0).drawn[0].inputs.values()
    dtable = KEY.embed_backward(dy, ids, vocab_size)
    for w, i in np.ndindex(*table.shape):
        step = np.zeros_like(table)
        step[w, i] = 0.5  # y is a straight line in the table
        slope = (dy * (KEY.embed(ids, table + step) - KEY.embed(ids, table - step))).sum()
        assert abs(dtable[w, i] - (slope if w else 0)) < 1e-12


def test_a_word_behind_padding_counts():
    up_to_padding = EXERCISE.alternatives[0].replace(
        "embed_backward_slowly(dy, ids, vocab_size)", "up_to(dy, ids, vocab_size)"
    )
    until = """
def up_to(dy, ids, vocab_size):
    before = np.cumprod(ids != PAD, axis=1)
    return embed_backward_slowly(dy * before[..., None], ids, vocab_size)
"""
    for seed in range(5):
        report = check(Case(EXERCISE, seed), EXERCISE.alternative(until + up_to_padding), run_here)
        [part] = [part for part in report.parts if part.name == "dtable"]
        assert part.outcome == "wrong" and "no id is padding" in part.finding.text


def test_padding_lies_inside_at_any_place_where_draws_are_loose_and_nowhere_where_ids_are_simple():
    places = set()
    for i in range(60):
        ids = draw(EXERCISE, 0, i, loose=True, fixed={"B": 3, "T": 6}).inputs["ids"]
        places |= {(int(b), int(t)) for b, t in np.argwhere(ids[:, :-1] == 0) if ids[b, t + 1]}
        assert draw(EXERCISE, 0, i, plain={"ids"}).inputs["ids"].all()
    assert len(places) > 6
