"""The key's tests, passed by npformer's layers and failed by code with one wrong line."""

from importlib import import_module

import numpy as np
import pytest

from npformer.layers import Embedding, Generator, LayerNorm, Softmax
from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from tests.run_here import run_here

hunt = import_module("npformer_course.exercises.28_bug_hunt")
NAMES = list(hunt.CODE)


def layer_norm_backward(dy, xhat, rstd, gain):
    layer = LayerNorm(len(gain), dtype="float64")
    layer.gain.data[...] = gain
    layer.forward(xhat / rstd)
    return layer.backward(dy), layer.gain.grad, layer.bias.grad


def softmax_backward(dy, y):
    layer = Softmax()
    layer.forward(np.log(y))
    return layer.backward(dy)


def embedding_backward(dy, ids, vocab_size):
    layer = Embedding(vocab_size, dy.shape[-1], dtype="float64")
    layer.forward(ids)
    layer.backward(dy)
    return layer.table.grad


def tied_backward(dx, ids, dlogits, y):
    embedding = Embedding(dlogits.shape[-1], y.shape[-1], dtype="float64")
    generator = Generator(dlogits.shape[-1], y.shape[-1], table=embedding.table)
    embedding.forward(ids)
    generator.forward(y)
    generator.backward(dlogits)
    embedding.backward(dx)
    return embedding.table.grad


def split_heads(x, n_heads):
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


OURS = [layer_norm_backward, softmax_backward, split_heads, embedding_backward, tied_backward]


@pytest.fixture(scope="module")
def key():
    return module_of(course.load("bug_hunt").key)


@pytest.mark.parametrize("ours", OURS, ids=lambda function: function.__name__)
def test_key_tests_pass_for_npformer_layers(key, ours):
    getattr(key, f"test_{ours.__name__}")(ours)


@pytest.mark.parametrize("name", NAMES)
def test_planted_code_differs_from_correct_code_by_one_line(key, name):
    planted, right = hunt.CODE[name].split("\n"), hunt.RIGHT[name].split("\n")
    differ = [
        number
        for number, pair in enumerate(zip(planted, right, strict=True), start=1)
        if pair[0] != pair[1]
    ]
    assert differ == [key.guilty_lines()[name]]
    with pytest.raises(AssertionError):
        getattr(key, f"test_{name}")(key.build(name))
    getattr(key, f"test_{name}")(hunt.made_of(hunt.RIGHT[name], name))


@pytest.mark.parametrize("name", NAMES)
def test_line_is_identified_by_number_or_text(key, name):
    number = key.guilty_lines()[name]
    text = hunt.CODE[name].split("\n")[number - 1]
    assert {
        hunt.number_of(name, answer) for answer in (number, np.int64(number), text, text.strip())
    } == {number}
    assert (
        hunt.number_of(name, "x = 1")
        == hunt.number_of(name, None)
        == hunt.number_of(name, True)
        == 0
    )


def test_unexpected_exception_in_a_test_reports_its_line():
    text = (
        course.load("bug_hunt").key + "\n\ndef test_softmax_backward(softmax_backward):\n    nope\n"
    )
    parts = check(Case(course.load("bug_hunt"), 0), text, run_here).parts
    [told] = [part.finding.text for part in parts if part.outcome == "error"]
    assert (
        told
        == f"the call ended in line {text.count(chr(10))} with NameError: name 'nope' is not defined"
    )
