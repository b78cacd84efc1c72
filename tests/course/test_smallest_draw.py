"""Answers that are right on usual inputs, and wrong on one sentence, position or feature."""

import pytest

from npformer_course import course
from npformer_course.case import Case, case_at
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.step.answer_step import step_answer
from npformer_course.step.recording import record
from tests.run_here import run_here

SOFTMAX = """
import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return {result}
"""


def recorded_here(exercise, text, jobs):
    module = module_of(text)
    return [record(module, exercise.call(call), inputs) for call, inputs in jobs], ""


def parts_of(id, text):
    return {part.name: part for part in check(case_at(id, 0), text, run_here).parts}


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("(e / e.sum(-1, keepdims=True)).squeeze()", "y has the shape (), expected (1, 1, 1)"),
        ("e / e.sum(-1, keepdims=True) * (x.size > 1)", "y has 0, expected 1"),
        ("e / e.sum(-1, keepdims=True) if x.size > 1 else 1 / 0", "ZeroDivisionError"),
    ],
)
def test_wrong_only_where_all_sizes_are_1_is_said(result, said):
    y = parts_of("softmax", SOFTMAX.format(result=result))["y"]
    assert y.points == 0
    assert y.finding.text.startswith("y is right on larger inputs, but where ")
    assert said in y.finding.text


def test_other_results_keep_their_points():
    key = course.load("linear").key
    text = key.replace("return dx, dw, drows.sum(0)", "return dx, dw, drows.sum(0) * (len(dw) > 1)")
    assert text != key
    outcomes = {name: part.outcome for name, part in parts_of("linear", text).items()}
    assert outcomes["db"] == "wrong" and outcomes["dx"] == outcomes["dw"] == "right"


@pytest.mark.parametrize("id", course.EXERCISES)
def test_sizes_are_the_smallest_that_the_exercise_allows(id):
    exercise = course.load(id)
    for letter, size in Case(exercise, 0).smallest.sizes.items():
        low, _ = exercise.sizes.get(letter, (1, 1))
        assert size == max(low, 2 if letter == "V" else 1), letter


def test_step_shows_this_draw_only_where_no_other_is_wrong():
    case = case_at("softmax", 0)
    squeezed = SOFTMAX.format(result="(e / e.sum(-1, keepdims=True)).squeeze()")
    step = step_answer(case, squeezed, "a file", run_here, recorded_here)
    assert "wrong where every size is as small as it may be" in step.notes[0]
    wrong = step_answer(case, SOFTMAX.format(result="e"), "a file", run_here, recorded_here)
    assert "this is the smallest draw on which it is" in wrong.notes[0]
