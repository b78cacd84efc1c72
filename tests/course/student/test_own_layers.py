"""A student's functions inside npformer's layers: the keys change nothing but rounding."""

import sys
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps

import numpy as np
import pytest

from npformer import layers, load
from npformer.decoding import Sampler, beam_search, greedy_decode
from npformer.layers import Dropout, LabelSmoothingLoss, Linear
from npformer.module import Parameter
from npformer.tasks import translator
from npformer.text import EOS
from npformer.training import Adam, WarmupSchedule
from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.rotary_model import use_rotary_positions
from npformer_course.student.student_layers import (
    ADAPTERS,
    MODEL_PARTS,
    ROTARY,
    TRAINED,
    TRANSLATING,
    WRITING,
    own_layers,
)

from .model_parts import part

SOURCES = np.array([[4, 5, 6, 3], [7, 4, 3, 0]])  # (B, S)
ALTERNATIVES = []
for id in sorted(TRAINED):
    for number, _ in enumerate(course.load(id).alternatives):
        ALTERNATIVES.append((id, number))


def train(make_trainer, n=12, dropout=0):
    """Return the losses and the model after some epochs."""
    trainer = make_trainer(dropout=dropout, dtype="float64")
    losses = [record.loss for record in trainer.updates(n)]
    return losses, trainer.objective.model


@pytest.fixture(scope="module")
def npformers(make_trainer):
    """The losses and the model of twelve epochs without own layers; not to be changed."""
    return train(make_trainer)


def assert_trains_as_npformer(make_trainer, npformers, parts, n):
    expected, _ = npformers
    with own_layers(parts) as used, functions_called() as called:
        assert {*used} == {*parts}
        found, model = train(make_trainer, n)
        if not {"greedy", "beam", "kv_cache"}.isdisjoint(parts):
            translator.greedy_decode(model, SOURCES)
            translator.beam_search(model, SOURCES, beam=2, alpha=0.6)
    assert np.allclose(found, expected[: len(found)], rtol=1e-7)
    return called


def test_training_with_all_keys_equals_npformer_training(make_trainer, npformers):
    called = assert_trains_as_npformer(
        make_trainer, npformers, {id: part(id) for id in TRAINED}, 12
    )
    # the softmax within attention and the LayerNorm within Add & Norm are the student's too
    assert {
        ("answer_masked_softmax.py", "masked_softmax"),
        ("answer_layer_norm.py", "layer_norm"),
        ("answer_layer_norm_backward.py", "layer_norm_backward"),
    } <= called


@pytest.mark.parametrize("id", sorted(TRAINED))
def test_two_epochs_with_each_key_equal_those_of_npformer(make_trainer, npformers, id):
    assert assert_trains_as_npformer(make_trainer, npformers, {id: part(id)}, 2)


@pytest.mark.long
@pytest.mark.parametrize(("id", "number"), ALTERNATIVES)
def test_two_epochs_with_other_right_answers_equal_those_of_npformer(
    make_trainer, npformers, id, number
):
    exercise = course.load(id)
    answer = module_of(f"{exercise.stub}\n{exercise.alternatives[number]}")
    assert_trains_as_npformer(make_trainer, npformers, {id: answer}, 2)


def test_own_searches_find_what_npformers_find(npformers):
    _, model = npformers
    expected = greedy_decode(model, SOURCES)
    [[first], [second]] = beam_search(model, SOURCES, beam=3, alpha=0.6)
    with own_layers({"greedy": part("greedy"), "beam": part("beam")}):
        assert translator.greedy_decode(model, SOURCES) == expected
        [[own], [next_own]] = translator.beam_search(model, SOURCES, beam=3, alpha=0.6)
    assert (own.ids, next_own.ids) == (first.ids, second.ids)
    assert np.allclose([own.score, next_own.score], [first.score, second.score])


@pytest.mark.parametrize(("max_len", "sources"), [(20, SOURCES), (60, SOURCES[:, :3])])
def test_own_searches_end_where_npformers_end(make_model, max_len, sources):
    """Without <eos> that is where the model can read no more, or 50 tokens after the source."""
    model = make_model(dtype="float64", generator_bias=True, max_len=max_len)
    model.generator.bias.data[EOS] = -100
    expected = greedy_decode(model, sources)
    [[first], [second]] = beam_search(model, sources, beam=3, alpha=0.6)
    with own_layers({"greedy": part("greedy"), "beam": part("beam")}):
        assert translator.greedy_decode(model, sources) == expected
        [[own], [next_own]] = translator.beam_search(model, sources, beam=3, alpha=0.6)
    assert (own.ids, next_own.ids) == (first.ids, second.ids)


@pytest.mark.parametrize("searches", [[], ["greedy", "beam"]])
@pytest.mark.parametrize("number", [None, *range(len(course.load("kv_cache").alternatives))])
def test_own_cache_gives_what_npformer_gives(npformers, searches, number):
    """Biases included, with the learner's searches and with npformer's."""
    model = deepcopy(npformers[1])
    rng = np.random.default_rng(5)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            parameter.data += rng.normal(size=parameter.data.shape) / 3
    expected = greedy_decode(model, SOURCES)
    [[first], [second]] = beam_search(model, SOURCES, beam=3, alpha=0.6)
    exercise = course.load("kv_cache")
    cache = part("kv_cache")
    if number is not None:
        cache = module_of(f"{exercise.stub}\n{exercise.alternatives[number]}", "answer_kv_cache")
    parts = {id: part(id) for id in searches} | {"kv_cache": cache}
    with own_layers(parts), functions_called() as called:
        assert translator.greedy_decode(model, SOURCES) == expected
        [[own], [next_own]] = translator.beam_search(model, SOURCES, beam=3, alpha=0.6)
    assert (own.ids, next_own.ids) == (first.ids, second.ids)
    assert np.allclose([own.score, next_own.score], [first.score, second.score])
    assert ("answer_kv_cache.py", "cross_attention_step") in called


def test_own_search_reads_one_position_at_a_time_with_own_cache(npformers):
    _, model = npformers
    lengths = []
    cache = part("kv_cache")
    step = cache.self_attention_step

    def counting(x, *others):
        lengths.append(x.shape[1])
        return step(x, *others)

    cache.self_attention_step = counting
    with own_layers({"greedy": part("greedy"), "beam": part("beam"), "kv_cache": cache}):
        translator.greedy_decode(model, SOURCES)
        translator.beam_search(model, SOURCES, beam=3, alpha=0.6)
    assert {*lengths} == {1}


def test_own_top_p_draws_as_its_probabilities_say():
    logits = np.log(np.array([[0.1, 0.4, 0.2, 0.3]]).repeat(4000, 0))
    logits[:, 0] = -np.inf  # a token that is no text
    with own_layers({"top_p": part("top_p")}):
        drawn = Sampler(temperature=0.5, top_p=0.8, rng=0)(logits)
        free = Sampler(rng=0)(logits)
    squares = np.array([0, 16, 0, 9]) / 25  # 16 + 9 of 29 is more than 0.8
    assert np.allclose(np.bincount(drawn, minlength=4) / 4000, squares, atol=0.03)
    assert np.allclose(np.bincount(free, minlength=4) / 4000, np.array([0, 4, 2, 3]) / 9, atol=0.03)


def test_text_is_the_same_with_own_layers_and_own_cache():
    writer = load("english_letters")
    prompt = "The old man "
    with own_layers({"top_p": part("top_p")}):
        expected = writer.generate(prompt, 80, top_p=0.9, rng=0)  # more than max_len in all
    files = set()
    for ids in (WRITING - {"kv_cache"}, WRITING):
        with own_layers({id: part(id) for id in ids}), functions_called() as called:
            assert writer.generate(prompt, 80, top_p=0.9, rng=0) == expected
        files.update(file for file, _ in called)
    # the softmax is in the attention, and both are in the step of the cache
    assert {f"answer_{id}.py" for id in WRITING} == files


@pytest.mark.parametrize("number", [None, *range(len(course.load(ROTARY).alternatives))])
def test_training_with_own_rotation_equals_npformer_training(make_trainer, number):
    exercise = course.load(ROTARY)
    own = part(ROTARY)
    if number is not None:
        own = module_of(f"{exercise.stub}\n{exercise.alternatives[number]}", "answer_rotary")
    losses = []
    for parts in ({}, {ROTARY: own}):
        trainer = make_trainer(dtype="float64")
        use_rotary_positions(trainer.objective.model)
        with own_layers(parts):
            losses.append([record.loss for record in trainer.updates(3)])
    plain, _ = train(make_trainer, 3, dropout=0.1)
    assert np.allclose(*losses, rtol=1e-9)
    assert not np.allclose(losses[0], plain, rtol=1e-3)


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


def test_each_part_is_in_a_translation_a_training_or_a_text():
    assert TRANSLATING | TRAINED | WRITING | {ROTARY} == {*ADAPTERS} == {*MODEL_PARTS}


def loss_and_gradient():
    rng = np.random.default_rng(0)
    loss = LabelSmoothingLoss(eps=0.3)
    # a part of a batch of seven tokens
    value = loss.forward(rng.normal(size=(2, 3, 5)), np.array([[1, 2, 0], [3, 0, 0]]), n_tokens=7)
    return value, loss.backward(2.0)


def moved_by_adam():
    parameter = Parameter(np.array([1.0, -2.0]))
    adam = Adam([parameter], learning_rate=0.1, beta1=0.5, beta2=0.7, eps=0.2)
    for gradient in ([1.0, 0.1], [-3.0, 0.1]):
        parameter.grad[...] = gradient
        adam.step()
    return parameter.data, adam.m, adam.v


def rates():
    return [WarmupSchedule(16, 10, factor=3.0)(step) for step in (1, 10, 20)]


def without_bias():
    rng = np.random.default_rng(0)
    linear = Linear(3, 4, bias=False, rng=0, dtype="float64")
    y = linear.forward(rng.normal(size=(1, 2, 3)))
    return y, linear.backward(rng.normal(size=(1, 2, 4))), linear.weight.grad


@pytest.mark.parametrize(
    ("id", "results"),
    [
        ("label_smoothing", loss_and_gradient),
        ("adam", moved_by_adam),
        ("warmup", rates),
        ("linear", without_bias),
    ],
)
def test_settings_of_a_layer_reach_the_learners_function(id, results):
    expected = results()
    with own_layers({id: part(id)}), functions_called() as called:
        found = results()
    assert called
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_rotary_positions_take_the_place_of_sinusoids_in_self_attention_alone(make_model):
    model = make_model(dtype="float64")
    use_rotary_positions(model)
    x = np.random.default_rng(0).normal(size=(1, 3, model.config.d_model))
    for stack in (model.encoder, model.decoder):
        positions = stack.input_embedding.positions
        for found in (positions.forward(x), positions.backward(x)):
            np.testing.assert_array_equal(found, x)
        kinds = [type(layer.self_attention.sublayer.attention) for layer in stack.layers]
        assert {*kinds} == {layers.RotaryAttention}
    for layer in model.decoder.layers:
        assert type(layer.cross_attention.sublayer.attention) is layers.ScaledDotProductAttention

    # a position sees none after it, and the order of those that it sees
    model.eval()
    tokens = np.array([[1, 5, 6, 7, 8]])
    logits = model.forward(SOURCES[:1], tokens)
    changed = model.forward(SOURCES[:1], np.array([[1, 5, 6, 9, 4]]))
    np.testing.assert_allclose(changed[:, :3], logits[:, :3])
    assert not np.allclose(changed[:, 3:], logits[:, 3:])
    [swapped] = model.encode(np.array([[4, 6, 5]]))[0]
    assert not np.allclose(swapped[0], model.encode(np.array([[4, 5, 6]]))[0][0, 0])


def test_decoder_that_ends_with_a_norm_is_trained_alike(make_trainer):
    losses = []
    for ids in ([], ["cross_attention_backward"]):
        trainer = make_trainer(dropout=0, dtype="float64", norm="pre")
        with own_layers({id: part(id) for id in ids}):
            losses.append([record.loss for record in trainer.updates(2)])
    assert np.allclose(*losses, rtol=1e-9)
