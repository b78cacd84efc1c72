"""Answers that are right on usual inputs, and wrong on one sentence, position or feature."""

import inspect
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import case_at
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.execution import make_call
from npformer_course.inputs import InputSource
from npformer_course.percent_format import Cell
from npformer_course.step.answer_step import step_answer
from npformer_course.step.recording import record
from npformer_course.tolerance import same
from tests.course.diagnosis.small_exercises import said, squares
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


def test_smallest_draw_without_sizes_that_a_student_knows():
    edit = ("return x @ w", "return (x @ w)[0] if len(x) == 1 else x @ w")
    one = replace(squares, cells=(Cell("# # A product", markdown=True), squares.cells[1]))
    found = said(one, "dx", edit)
    assert found.text == (
        "dx is right on larger inputs, but where there is one of everything: "
        "dx has the shape (1,), expected (1, 1); its numbers are right"
    )
    assert found.question


def test_other_results_keep_their_points():
    key = course.load("linear").key
    text = key.replace("return dx, dw, drows.sum(0)", "return dx, dw, drows.sum(0) * (len(dw) > 1)")
    assert text != key
    outcomes = {name: part.outcome for name, part in parts_of("linear", text).items()}
    assert outcomes["db"] == "wrong" and outcomes["dx"] == outcomes["dw"] == "right"


@pytest.mark.parametrize(
    ("id", "line", "squeezed"),
    [
        ("greedy", "return ids, log_p", "return ids.squeeze(), log_p.squeeze()"),
        ("embedding", "return table[ids] *", "return table[ids].squeeze() *"),
        ("top_p", "return mask", "return mask.squeeze()"),
        ("tied_generator", "return x @ table.T", "return x.squeeze() @ table.T"),
    ],
)
def test_an_axis_of_length_1_that_is_lost_shows(id, line, squeezed):
    key = course.load(id).key
    assert key.count(line) == 1
    assert not check(case_at(id, 0), key.replace(line, squeezed), run_here).passed


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("id", course.EXERCISES)
def test_all_our_code_of_an_exercise_runs_where_every_size_is_1(id):
    exercise = course.load(id)
    letters = list(inspect.signature(exercise.inputs).parameters)[1:]
    key = module_of(exercise.key)
    others = [module_of(f"{exercise.stub}\n{text}") for text in exercise.alternatives]
    wrong = [module_of(exercise.mistaken(mistake)) for mistake in exercise.mistakes]
    sources = [InputSource(np.random.default_rng(0), lowest=lowest) for lowest in (False, True)]
    for call, source in product(exercise.calls, sources):
        inputs = exercise.inputs(source, **dict.fromkeys(letters, 1))
        expected = make_call(key, call, inputs)
        assert expected.state == "done", expected.error
        assert all(np.isfinite(value).all() for value in expected.values)

        for other in others:
            answer = make_call(other, call, inputs)
            assert answer.state == "done", answer.error
            assert answer.repeats and not answer.changed
            assert_same(answer.values, expected.values)
        if call.name in exercise.slow:
            slow = exercise.slow[call.name]
            wanted = {name: inputs[name] for name in inspect.signature(slow).parameters}
            returned = slow(**wanted)
            assert_same(returned if isinstance(returned, tuple) else (returned,), expected.values)

        # the check compares an answer with the results of every known mistake
        assert all(make_call(module, call, inputs).state == "done" for module in wrong)


def assert_same(values, expected):
    for value, right in zip(values, expected, strict=True):
        assert same(np.asarray(value), right)


def test_step_shows_this_draw_only_where_no_other_is_wrong():
    case = case_at("softmax", 0)
    squeezed = SOFTMAX.format(result="(e / e.sum(-1, keepdims=True)).squeeze()")
    step = step_answer(case, squeezed, "a file", run_here, recorded_here)
    assert "wrong where every size is 1" in step.notes[0]
    wrong = step_answer(case, SOFTMAX.format(result="e"), "a file", run_here, recorded_here)
    assert "this is the smallest draw on which it is" in wrong.notes[0]
