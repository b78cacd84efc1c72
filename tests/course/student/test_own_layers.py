"""A student's functions inside npformer's layers: the keys change nothing but rounding."""

import sys
from contextlib import contextmanager
from functools import wraps

import numpy as np
import pytest

from npformer import layers
from npformer.decoding import beam_search, greedy_decode
from npformer.layers import Dropout, Linear
from npformer.tasks import translator
from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.student_layers import (
    ADAPTERS,
    MODEL_PARTS,
    TRAINED,
    TRANSLATING,
    own_layers,
)

from .model_parts import part

SOURCES = np.array([[4, 5, 6, 3], [7, 4, 3, 0]])  # (B, S)
ALTERNATIVES = []
for id in sorted(TRAINED):
    for number, _ in enumerate(course.load(id).alternatives):
        ALTERNATIVES.append((id, number))


def train(make_trainer, n=12, dropout=0):
    """Return the losses and the model after some updates."""
    trainer = make_trainer(dropout=dropout, dtype="float64")
    losses = [record.loss for record in trainer.updates(n)]
    return losses, trainer.objective.model


def assert_trains_as_npformer(make_trainer, parts, n):
    expected, _ = train(make_trainer, n)
    with own_layers(parts) as used:
        assert {*used} == {*parts}
        found, _ = train(make_trainer, n)
    assert np.allclose(found, expected, rtol=1e-7)


def test_training_with_all_keys_equals_npformer_training(make_trainer):
    assert_trains_as_npformer(make_trainer, {id: part(id) for id in TRAINED}, 12)


@pytest.mark.parametrize("id", sorted(TRAINED))
def test_two_updates_with_each_key_equal_those_of_npformer(make_trainer, id):
    assert_trains_as_npformer(make_trainer, {id: part(id)}, 2)


@pytest.mark.long
@pytest.mark.parametrize(("id", "number"), ALTERNATIVES)
def test_two_updates_with_other_right_answers_equal_those_of_npformer(make_trainer, id, number):
    exercise = course.load(id)
    answer = module_of(f"{exercise.stub}\n{exercise.alternatives[number]}")
    assert_trains_as_npformer(make_trainer, {id: answer}, 2)


def test_own_searches_find_what_npformers_find(make_trainer):
    _, model = train(make_trainer)
    expected = greedy_decode(model, SOURCES)
    [[first], [second]] = beam_search(model, SOURCES, beam=3, alpha=0.6)
    with own_layers({"greedy": part("greedy"), "beam": part("beam")}):
        assert translator.greedy_decode(model, SOURCES) == expected
        [[own], [next_own]] = translator.beam_search(model, SOURCES, beam=3, alpha=0.6)
    assert (own.ids, next_own.ids) == (first.ids, second.ids)
    assert np.allclose([own.score, next_own.score], [first.score, second.score])


@contextmanager
def functions_called():
    """Collect the names of the functions of parts that run within this block, with their files."""
    called = set()

    def watch(frame, event, argument):
        if frame.f_code.co_filename.startswith("answer_"):
            called.add((frame.f_code.co_filename, frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield called
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("id", sorted(TRAINED))
def test_student_functions_are_called(make_trainer, id):
    with own_layers({id: part(id)}), functions_called() as called:
        _, model = train(make_trainer, 1)
        if id in ("greedy", "beam"):
            translator.greedy_decode(model, SOURCES)
            translator.beam_search(model, SOURCES, beam=2, alpha=0.6)
    assert called


def test_a_function_inside_another_is_the_students_too(make_trainer):
    """The softmax within attention and the LayerNorm within Add & Norm, forward and backward."""
    with own_layers({id: part(id) for id in TRAINED}), functions_called() as called:
        train(make_trainer, 1)
    assert {
        ("answer_masked_softmax.py", "masked_softmax"),
        ("answer_layer_norm.py", "layer_norm"),
        ("answer_layer_norm_backward.py", "layer_norm_backward"),
    } <= called


def test_own_dropout_keeps_its_factors_for_backward():
    layer = Dropout(0.5, rng=0)
    with own_layers({"dropout": part("dropout")}):
        y = layer.forward(np.ones((50, 4)))
        dx = layer.backward(np.ones((50, 4)))
        with layer.evaluating():
            assert (layer.forward(np.ones((50, 4))) == 1).all()
    assert np.array_equal(dx, y) and {*y.flat} == {0, 2}


def test_dropout_inside_own_add_norm_has_one_mask(make_trainer):
    """The gradient is that of the same factors as in forward, which chance has drawn."""
    ids = ["add_norm", "add_norm_backward", "dropout"]
    feed_forward = layers.FeedForward(4, 8, rng=0, dtype="float64")
    layer = layers.PostNorm(feed_forward, 4, dropout=0.5, rng=1, dtype="float64")
    x = np.random.default_rng(2).normal(size=(2, 3, 4))
    step = np.random.default_rng(3).normal(size=x.shape)
    dy = np.random.default_rng(4).normal(size=x.shape)

    def forward(x):
        layer.dropout.rng.bit_generator.state = state
        return layer.forward(x)

    with own_layers({id: part(id) for id in ids}):
        state = layer.dropout.rng.bit_generator.state
        numeric = ((forward(x + 1e-6 * step) - forward(x - 1e-6 * step)) * dy).sum() / 2e-6
        forward(x)
        dx = layer.backward(dy)
    assert np.isclose((dx * step).sum(), numeric, rtol=1e-6)


def test_layers_are_restored_even_after_an_error():
    before = vars(Linear)["forward"], vars(Linear)["backward"]
    with pytest.raises(ZeroDivisionError), own_layers({"linear": part("linear")}):
        assert vars(Linear)["forward"] is not before[0]
        raise ZeroDivisionError
    assert (vars(Linear)["forward"], vars(Linear)["backward"]) == before


def test_names_that_an_exercise_gives_are_put_back(make_trainer):
    module = part("masked_attention")
    given = module.masked_softmax
    with own_layers({"masked_attention": module}):
        train(make_trainer, 1)
    assert module.masked_softmax is given


def test_student_functions_get_the_axes_that_exercises_promise(make_trainer):
    """(B, T, D), since gradients may sum over two axes, and a mask (B, 1, T, S)."""
    shapes = {}

    def watched(module, name):
        function = getattr(module, name)

        @wraps(function)
        def watching(*inputs):
            shapes.setdefault(name, set()).add(tuple(x.ndim for x in inputs if np.ndim(x)))
            if name.startswith("masked"):
                assert inputs[-1].shape[:2] == (len(inputs[0]), 1)
            return function(*inputs)

        setattr(module, name, watching)
        return module

    parts = {
        "layer_norm": watched(part("layer_norm"), "layer_norm"),
        "masked_softmax": watched(part("masked_softmax"), "masked_softmax"),
    }
    with own_layers(parts):
        train(make_trainer, 2)
    with own_layers({"masked_attention": watched(part("masked_attention"), "masked_attention")}):
        train(make_trainer, 2)
    assert shapes == {
        "layer_norm": {(3, 1, 1)},
        "masked_softmax": {(4, 4)},
        "masked_attention": {(4, 4, 4, 4)},
    }


def test_layers_without_student_functions_are_unchanged():
    with own_layers({}) as used:
        assert used == []


def test_each_part_is_translated_with_or_trained():
    assert TRANSLATING | TRAINED == {*ADAPTERS} == {*MODEL_PARTS}
