"""Gradients for the sentence of the course, with the target that one chooses."""

import numpy as np
import pytest

from helpers.backward_trace import trace_backward
from helpers.course_sentence import CourseSentence

EOS = 3


@pytest.fixture(scope="module")
def sentence():
    return CourseSentence()


def test_gradient_of_logits_is_p_minus_chosen_tokens(sentence):
    target = "Ich schalte jeden Tag die neue Radio aus."
    record = trace_backward(sentence, target)["generator"]
    exponentials = np.exp(record.output[0] - record.output[0].max(-1, keepdims=True))
    wanted = exponentials / exponentials.sum(-1, keepdims=True)
    tokens = [*sentence.translator.target.encode(target), EOS]
    wanted[np.arange(len(wanted)), tokens] -= 1
    np.testing.assert_allclose(record.dy[0], wanted / len(wanted), atol=1e-6)


def test_model_is_left_as_it_was(sentence):
    trace_backward(sentence, "Ich schalte jeden Tag das neue Radio aus.")
    assert not sentence.model.training
    assert not any(parameter.grad.any() for parameter in sentence.model.parameters())
