"""Answers that are odd and right, or wrong in a way that has to be told truly."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check, check_part
from npformer_course.definition import module_of
from npformer_course.execution import (
    MAX_CHARACTERS,
    _identical,
    as_array,
    ended_by,
    make_call,
)
from npformer_course.percent_format import TODO
from npformer_course.student.notebook import NotebookExercise
from npformer_course.submission import prediction_of
from tests.run_here import run_here

FIRST = "    e = np.exp(x - x.max(-1, keepdims=True))\n"
SOFTMAX = (
    f"import numpy as np\n\n\ndef softmax(x):\n{FIRST}    return e / e.sum(-1, keepdims=True)\n"
)


def first_part(text, run):
    return check(case_at("softmax", 0), text, run).parts[0]


@pytest.mark.parametrize(
    ("top", "told"),
    [
        ("assert 1 == 2", "the file cannot be loaded: line 1 ends with AssertionError"),
        (
            "import no_such_library",
            "the file cannot be loaded: line 1 ends with ModuleNotFoundError",
        ),
        ("x = 1\0", "the file cannot be loaded: it ends with SyntaxError"),
        ("if True:\nx = 1", "the file cannot be loaded: line 2 ends with IndentationError"),
        (
            "if True:\n        x = 1\n\ty = 2",
            "the file cannot be loaded: line 3 ends with TabError",
        ),
    ],
)
def test_file_that_fails_to_load_is_reported(sandbox, top, told):
    part = first_part(f"{top}\n{SOFTMAX}", sandbox.run)
    assert part.outcome == "error" and part.finding.text.startswith(told) and part.finding.question


def test_missing_module_may_be_a_file_of_the_students(sandbox):
    question = first_part(f"import my_helpers\n{SOFTMAX}", sandbox.run).finding.question
    assert question.startswith("Is that module installed?") and "an empty folder" in question


def test_what_an_answer_says_can_be_printed_and_written(sandbox):
    text = SOFTMAX.replace(FIRST, "    print('\\ud800')\n    raise ValueError('\\udcff')\n")
    report = check(case_at("softmax", 0), text, sandbox.run)
    assert report.printed.startswith("?\n")
    assert "ValueError: ? " in report.parts[0].finding.text


def test_given_loop_functions_are_not_accepted_as_answer(sandbox):
    exercise = course.load("layer_norm")
    text = (
        exercise.stub.replace(TODO, "return alias(x, gain, bias, eps)")
        + "\n\nalias = layer_norm_slowly\n"
    )
    names = vars(module_of(text))
    for report in (
        check(case_at("layer_norm", 0), text, sandbox.run),
        NotebookExercise(exercise, names).report(),
    ):
        told = report.parts[0].finding
        assert report.points == 0 and report.parts[0].outcome == "error"
        assert "in _slowly is not available" in told.text and "for whole arrays" in told.question
    assert names["layer_norm"](np.eye(2)[None], np.ones(2), np.ones(2), 1e-5)[0].shape == (1, 2, 2)


def test_differing_numbers_are_shown_with_enough_digits():
    part = first_part(SOFTMAX.replace("return e", "return (1 + 3e-6) * e"), run_here)
    came, expected = part.numbers.split(" has ")[1].split(";")[0].split(", expected ")
    assert part.outcome == "wrong" and came != expected


def test_long_name_of_an_exception_is_cut():
    error = type("A" * 3_000_000, (Exception,), {})("B" * 3_000_000)
    name, text = "A" * MAX_CHARACTERS, "B" * MAX_CHARACTERS
    assert ended_by(error, ()).error == f"{name}: {text} ..."


def test_long_name_of_a_type_is_cut():
    kind = type("A" * 3_000_000, (), {})
    names = np.dtype([("B" * 3_000_000, float)])
    for value in (kind(), np.zeros(2, names)):
        assert len(as_array(value)) < 2 * MAX_CHARACTERS


@pytest.mark.parametrize("result", ["1 / 0", "3", "exit()"])
def test_exception_whose_text_cannot_be_read_is_reported_with_its_line(result):
    text = f"class Odd(Exception):\n    def __str__(self): return {result}\n\n\n"
    text += SOFTMAX.replace("    return", "    raise Odd\n    return")
    told = first_part(text, run_here).finding.text
    assert told.startswith("the call ended in line 10 with Exception: its text cannot be read")


@pytest.mark.parametrize(
    ("returned", "outcome", "told"),
    [
        ("Tensor()", "right", ""),
        ("Tensor", "wrong", "y is a type, and not an array"),
        ("__import__('fractions').Fraction(1, 2)", "wrong", "y is a fractions.Fraction, and not"),
        ("[0.0] * 2_000_000", "wrong", "y is a list of 2000000 numbers, far too many"),
        (
            "np.broadcast_to(0.0, 10**12)",
            "wrong",
            "y is an array of 1000000000000 numbers, far too many",
        ),
    ],
)
def test_results_of_any_type_are_taken_or_described(returned, outcome, told):
    text = (
        f"{SOFTMAX.replace('return', 'y =')}\n    class Tensor:\n        def size(self): return 0\n"
        f"        def __array__(self, dtype=None, copy=None): return y\n\n    return {returned}\n"
    )
    part = first_part(text, run_here)
    assert part.outcome == outcome and told in part.finding.text


def test_result_is_kept_though_the_second_call_writes_into_it():
    body = "def softmax(x):\n    buffer[0] += 1\n    return buffer\n"
    call = course.load("softmax").calls[0]
    sample = case_at("softmax", 0).draws[0]
    answer = make_call(module_of(f"buffer = [0.0]\n{body}"), call, sample.inputs)
    assert answer.state == "done" and not answer.repeats
    answer = make_call(
        module_of(f"import numpy as np\nbuffer = np.zeros(1)\n{body}"), call, sample.inputs
    )
    assert answer.values == (np.ones(1),) and not answer.repeats


def test_missing_package_is_asked_about():
    part = first_part(SOFTMAX.replace(FIRST, f"    import no_such_library\n{FIRST}"), run_here)
    assert "in line 5 with ModuleNotFoundError" in part.finding.text
    assert "Is this package installed" in part.finding.question


@pytest.mark.parametrize(
    ("code", "letter"),
    [
        ('prediction = ""\nprediction = "B"  # of the exam', "b"),
        ("prediction: str = 'b'", "b"),
        ('prediction : "a or b"="b"', "b"),
        ('prediction = "a"\nprediction = ""', ""),
        ('prediction == "b"\npredictions = "b"\n  prediction = "b"', ""),
        ("prediction = \"b'", ""),
    ],
)
def test_last_prediction_counts(code, letter):
    assert prediction_of(code) == letter


def test_a_dataclass_of_an_answer_may_name_its_types():
    text = f"""
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class Row:
    x: list[float]

{SOFTMAX}
"""
    assert check(case_at("softmax", 0), text, run_here).passed


def test_place_of_an_exception_is_the_innermost_of_many_calls():
    deep = (
        "\n\n\ndef down(n):\n    if n:\n        return down(n - 1)\n    raise ValueError('here')\n"
    )
    text = SOFTMAX.replace("    return", "    down(50)\n    return") + deep
    line = text.split("\n").index("    raise ValueError('here')") + 1
    assert first_part(text, run_here).finding.text.startswith(f"the call ended in line {line} with")


def test_file_that_fails_to_load_is_asked_about_by_its_error():
    asked = {}
    for top in ("x = (", "if True:\nx = 1", "if True:\n        x = 1\n\ty = 2", "assert False"):
        with pytest.raises(Exception) as error:
            module_of(top)
        answer = ended_by(error.value, ("answer.py",))
        case = case_at("softmax", 0)
        call = case.exercise.calls[0]
        found = check_part(case, call, 0, [answer] * len(case.draws), lambda n: {}).finding
        asked[found.id] = found.question
    assert list(asked) == [
        "raised SyntaxError",
        "raised IndentationError",
        "raised TabError",
        "raised AssertionError",
    ]
    words = ("every bracket closed", "belong to", "which with spaces", "before any function")
    assert all(word in question for word, question in zip(words, asked.values(), strict=True))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (np.array([np.nan]), np.array([np.nan]), True),
        (np.array([0.0]), np.array([-0.0]), False),
        (np.zeros(2), np.zeros(2, np.int64), False),
        (np.zeros(2), np.zeros((1, 2)), False),
        (np.array([1, np.nan], "g"), np.array([1, np.nan], "g"), True),
        (np.array([1, np.nan], "g"), np.array([2, np.nan], "g"), False),
        (1, True, False),
        ((1,), [1], False),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_what_two_calls_give_is_compared_bit_for_bit(first, second, expected):
    assert _identical(first, second) is expected
