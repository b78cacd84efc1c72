"""The tests of both keys, passed by npformer's layers and failed by code with one wrong line."""

import numpy as np
import pytest

from npformer.layers import Embedding, Generator, LayerNorm, Softmax
from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.exercises.bug_hunt import implementations as first_implementations
from npformer_course.exercises.bug_hunt import teacher as first
from npformer_course.exercises.bug_hunt.verdicts import number_of
from npformer_course.exercises.second_bug_hunt import implementations as second_implementations
from npformer_course.exercises.second_bug_hunt import teacher as second
from tests.run_here import run_here

CODE = first.CODE | second.CODE
WRONG_LINES = first.WRONG_LINES | second.WRONG_LINES
KEYS = {}
IMPLEMENTATIONS = {}
for id, hunt, implementations in (
    ("bug_hunt", first, first_implementations.implementations),
    ("second_bug_hunt", second, second_implementations.implementations),
):
    key = module_of(course.load(id).key)
    for name in hunt.CODE:
        KEYS[name] = key
        IMPLEMENTATIONS[name] = implementations(name)
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


def written_test(name):
    """Return the key's test of a function."""
    return getattr(KEYS[name], f"test_{name}")


@pytest.mark.parametrize("ours", OURS, ids=lambda function: function.__name__)
def test_key_tests_pass_for_npformer_layers(ours):
    written_test(ours.__name__)(ours)


@pytest.mark.parametrize("name", CODE)
def test_key_tests_fail_on_planted_code_and_pass_on_right_code(name):
    test = written_test(name)
    with pytest.raises(AssertionError):
        test(KEYS[name].build(name))
    for right in IMPLEMENTATIONS[name][:3]:
        test(right)


@pytest.mark.parametrize("name", CODE)
def test_planted_code_is_right_without_its_wrong_line(name):
    number = KEYS[name].guilty_lines()[name]
    assert WRONG_LINES[name] == number
    lines = CODE[name].split("\n")
    lines[number - 1] = RIGHT_LINES[name]
    test = written_test(name)
    test(getattr(module_of("import numpy as np\n" + "\n".join(lines)), name))


@pytest.mark.parametrize("name", CODE)
def test_line_is_identified_by_number_or_text(name):
    number = WRONG_LINES[name]
    text = CODE[name].split("\n")[number - 1]
    for answer in (number, np.int64(number), text, text.strip()):
        assert number_of(CODE[name], answer) == number
    for answer in ("x = 1", None, True):
        assert number_of(CODE[name], answer) == 0


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
