"""Notebooks 05 and 06 put vectors into the translator, and take arrays out, without changing it."""

import numpy as np
import pytest

from helpers.course_sentence import SOURCE, TARGET, CourseSentence
from helpers.given_vectors import translate_vectors
from helpers.one_layer import entering_network, forward_steps


@pytest.fixture(scope="module")
def sentence():
    return CourseSentence()


def test_vectors_of_the_sentence_are_translated(sentence):
    x = sentence.arrays("encoder.input_embedding")["output"]
    assert translate_vectors(sentence.translator, x) == TARGET
    without = translate_vectors(sentence.translator, x, decoder_positions=False)
    assert without != TARGET
    assert translate_vectors(sentence.translator, 0 * x) != TARGET
    assert sentence.translator.translate([SOURCE]) == [TARGET]


def test_network_gets_what_the_trace_has(sentence):
    [entering] = entering_network(sentence.translator, [SOURCE])
    expected = sentence.arrays("encoder.layers.0.feed_forward")["x"]
    np.testing.assert_allclose(entering, expected, atol=1e-6)


def test_only_forward_is_recorded(sentence):
    layer = "encoder.layers.0.feed_forward"
    recording = forward_steps(sentence, layer)
    functions = {recording.recorder.calls[step.call].function.name for step in recording.steps}
    assert "forward" in functions and "backward" not in functions
    assert not sentence.model.training
    [(_, x)] = recording.find("feed_forward PostNorm x")[:1]
    np.testing.assert_allclose(recording[x][0], sentence.arrays(layer)["x"], atol=1e-6)
