"""What an answer is right without: the smallest simplification that leaves the result something to say."""

import dataclasses

import pytest
from small_exercises import attention, dropout, edited, layer_norm, linear, loss, report, said

from npformer.classroom.ablation import ablated
from npformer.classroom.cases import Case, by_call
from npformer.classroom.checks import run_here
from npformer.classroom.views import View

KEEP = "weights @ v, weights"


@pytest.mark.parametrize(
    ("exercise", "part", "edit", "id"),
    [
        (layer_norm, "dx", ("dxhat = dy * gain", "dxhat = dy * gain * gain"), "right when gain = 1"),
        (layer_norm, "dbias", ("dy.sum((0, 1))", "dy[0].sum(0)"), "right when B = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * xhat)[:, -1].sum(0)"), "right when T = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * xhat)[0, -1]"), "right when B = 1 and T = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * dy * xhat).sum((0, 1))"), "right when dy is all ones"),
        (linear, "y", ("x @ w + b", "x @ w + b * b"), "right when bias = 0"),
        (attention, "weights", ("np.where(mask, scores, -np.inf)", "scores"), "right when nothing is masked"),
        (attention, "weights", ("np.sqrt(q.shape[-1])", "1"), "right when K = 1"),
        (dropout, "dx", ("(1 - p)", "(1 - p + p * dy)"), "right when nothing is dropped"),
        (loss, "loss", ("(np.log(picked) * real)", "np.log(picked)"), "right when no id repeats and none is padding"),
    ],
)
def test_the_simplification_is_found_on_every_seed(exercise, part, edit, id):
    for seed in range(4):
        found = said(exercise, part, edit, seed=seed)
        assert (found.kind, found.id) == ("ablation", id) and found.question


@pytest.mark.parametrize(
    ("exercise", "part", "edit"),
    [
        (layer_norm, "dx", ("return rstd * (", "return np.sin(")),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "np.abs(dy * xhat).sum((0, 1))")),
        (linear, "dw", ('"btd,btf->df", x, dy', '"btd,btf->df", x * x, dy')),
    ],
)
def test_what_is_wrong_always_is_not_said_to_be_right_ever(exercise, part, edit):
    for seed in range(3):
        assert said(exercise, part, edit, seed=seed).kind == "numbers"


def test_luck_on_three_draws_is_not_told():
    for seed in range(4):
        assert "right" not in said(loss, "loss", ("real = ids != 0", "real = ids != 3"), seed=seed).text


def test_a_softmax_over_one_key_shows_nothing():
    found = said(attention, "weights", ("np.sqrt(q.shape[-1])", "1"))
    assert "S = 1" not in found.text


def test_a_result_that_is_zero_when_simple_shows_nothing():
    found = said(layer_norm, "dx", ("return rstd * (", "return np.sin("))
    assert "D = 1" not in found.text


def test_the_answer_runs_in_two_goes_only():
    case, calls = Case(layer_norm, 0), []
    text = edited(layer_norm, ("dxhat = dy * gain", "dxhat = dy * gain * gain"))
    call = layer_norm.calls[0]
    answers = by_call(case, run_here(layer_norm, text, case.jobs).answers)[call.name]

    def again(jobs):
        calls.append(len(jobs))
        return run_here(layer_norm, text, jobs).answers

    view = View(case, call, 0, case.drawn, answers, case.expected[call.name], again)
    assert ablated(view).id == "right when gain = 1"
    assert len(calls) == 2 and sum(calls) < 200


def test_an_exercise_whose_inputs_cannot_be_simple_says_nothing():
    def inputs(draw, B, T, D, F):
        if min(B, T, D, F) < 2:
            raise ValueError("too small")
        return {"x": draw.normal(B, T, D), "w": draw.normal(D, F), "b": draw.normal(F), "dy": draw.normal(B, T, F)}

    small = dataclasses.replace(linear, inputs=inputs)
    assert said(small, "db", ("dy.sum((0, 1))", "dy[0].sum(0)")).kind == "numbers"
    assert report(small, small.key).passed
