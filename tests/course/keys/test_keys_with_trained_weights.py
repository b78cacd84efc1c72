"""The layers that a student writes, with the weights of the translator that ships."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer.layers import causal_mask
from npformer_course import course
from npformer_course.case import case_at
from npformer_course.definition import module_of

ENCODER = module_of(course.load("encoder_layer").key)
DECODER = module_of(course.load("decoder_layer").key)
TOLERANCES = {"float32": 1e-5, "float64": 1e-12}
B, T, S = 3, 5, 7


@pytest.fixture(params=TOLERANCES)
def model(request):
    return npf.load("phrasebook").model.astype(request.param)


@pytest.fixture
def inputs(model):
    """Return x, the memory, and the masks of both, with padding in two of the sentences."""
    rng = np.random.default_rng(0)
    D = model.config.d_model
    x = rng.normal(size=(B, T, D)).astype(model.config.dtype)
    memory = rng.normal(size=(B, S, D)).astype(model.config.dtype)
    cross_mask = np.arange(S) < np.array([S, 4, 2])[:, None, None]  # (B, 1, S)
    target_mask = np.arange(T) < np.array([T, 3, T])[:, None, None]  # (B, 1, T)
    return x, memory, target_mask & causal_mask(T), cross_mask


def weights_of(model, layer):
    """Return the arrays of a layer by their names in the model, without the layer's own name."""
    return ENCODER.part_of({name: p.data for name, p in model.named_parameters()}, layer)


def assert_equal(found, expected):
    assert found.dtype == expected.dtype
    tolerance = TOLERANCES[str(expected.dtype)]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("number", [0, 1])
def test_encoder_layer_equals_that_of_the_translator(model, inputs, number):
    _, memory, _, mask = inputs
    w = weights_of(model, f"encoder.layers.{number}")
    with model.evaluating():
        expected = model.encoder.layers[number].forward(memory, mask)
    assert_equal(ENCODER.encoder_layer(memory, mask, w, model.config.n_heads), expected)


@pytest.mark.parametrize("number", [0, 1])
def test_decoder_layer_equals_that_of_the_translator(model, inputs, number):
    x, memory, self_mask, cross_mask = inputs
    w = weights_of(model, f"decoder.layers.{number}")
    with model.evaluating():
        expected = model.decoder.layers[number].forward(x, memory, self_mask, cross_mask)
    found = DECODER.decoder_layer(x, memory, self_mask, cross_mask, w, model.config.n_heads)
    assert_equal(found, expected)


@pytest.mark.parametrize(
    ("exercise", "drawn", "layer"),
    [("encoder_layer", "w_layer", "encoder.layers.0"), ("decoder_layer", "w", "decoder.layers.0")],
)
def test_checked_weights_have_the_names_of_the_translator(exercise, drawn, layer):
    checked = case_at(exercise, 0).draws[0].inputs[drawn]
    trained = weights_of(npf.load("phrasebook").model, layer)
    assert {name: array.ndim for name, array in checked.items()} == {
        name: array.ndim for name, array in trained.items()
    }


@pytest.mark.parametrize("exercise", ["encoder_layer", "decoder_layer"])
def test_text_lists_names_that_the_translator_has(exercise):
    text = course.load(exercise).cells[0].text
    stack = exercise.removesuffix("_layer")
    trained = weights_of(npf.load("phrasebook").model, f"{stack}.layers.0")
    listed = re.findall(r"`(\w+_\w+\.[\w.]+)`", text)
    assert len(listed) >= 6
    for name in listed:
        assert name in trained or any(full.startswith(f"{name}.") for full in trained), name
