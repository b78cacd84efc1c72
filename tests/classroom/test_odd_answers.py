"""Answers that are odd and right, or wrong in a way that has to be told truly."""

import pytest

from npformer.classroom.exercise_at_seed import case_at
from npformer.classroom.grade import check, run_here

FIRST = "    e = np.exp(x - x.max(-1, keepdims=True))\n"
SOFTMAX = f"import numpy as np\n\n\ndef softmax(x):\n{FIRST}    return e / e.sum(-1, keepdims=True)\n"


def first_part(text, run):
    return check(case_at("softmax", 0), text, run).parts[0]


def test_the_answer_itself_is_right():
    assert first_part(SOFTMAX, run_here).outcome == "right"


@pytest.mark.parametrize(
    ("top", "told"),
    [
        ("assert 1 == 2", "the file cannot be loaded: line 1 ends with AssertionError"),
        ("import no_such_library", "the file cannot be loaded: line 1 ends with ModuleNotFoundError"),
        ("if True:\nx = 1", "the file cannot be loaded: line 2 ends with IndentationError"),
        ("if True:\n        x = 1\n\ty = 2", "the file cannot be loaded: line 3 ends with TabError"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_no_call(sandbox, top, told):
    part = first_part(f"{top}\n{SOFTMAX}", sandbox.run)
    assert part.outcome == "error" and part.finding.text.startswith(told) and part.finding.question


def test_numbers_that_differ_are_told_with_the_digits_that_do():
    part = first_part(SOFTMAX.replace("return e", "return (1 + 3e-6) * e"), run_here)
    came, expected = part.numbers.split(" has ")[1].split(";")[0].split(", expected ")
    assert part.outcome == "wrong" and came != expected
