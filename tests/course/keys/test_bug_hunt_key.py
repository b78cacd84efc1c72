"""The key's tests, passed by npformer's layers and failed by code with one wrong line."""

import numpy as np
import pytest

from npformer.layers import Embedding, Generator, LayerNorm, Softmax
from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.exercises.bug_hunt import teacher as hunt
from npformer_course.exercises.bug_hunt.implementations import implementations
from tests.run_here import run_here

NAMES = list(hunt.CODE)
RIGHT_LINES = {
    "layer_norm_backward": "    along_ones = dxhat.mean(-1, keepdims=True)",
    "softmax_backward": "    dx = dx",
    "split_heads": "    heads = x.reshape(B, T, n_heads, width).transpose(0, 2, 1, 3)",
    "average_backward": "    dvalue = (weights * keep).swapaxes(-1, -2) @ dy",
    "embedding_backward": "    np.add.at(dtable, ids, dy * np.sqrt(D))",
    "tied_backward": "    dtable += dlogits.reshape(-1, V).T @ y.reshape(-1, D)",
}


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
def test_key_tests_fail_on_planted_code_and_pass_on_right_code(key, name):
    test = getattr(key, f"test_{name}")
    with pytest.raises(AssertionError):
        test(key.build(name))
    for right in implementations(name)[:3]:
        test(right)


@pytest.mark.parametrize("name", NAMES)
def test_planted_code_is_right_without_its_wrong_line(key, name):
    number = key.guilty_lines()[name]
    assert hunt.WRONG_LINES[name] == number
    lines = hunt.CODE[name].split("\n")
    lines[number - 1] = RIGHT_LINES[name]
    test = getattr(key, f"test_{name}")
    test(getattr(module_of("import numpy as np\n" + "\n".join(lines)), name))


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
