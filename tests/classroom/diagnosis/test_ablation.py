"""What an answer is right without: the smallest simplification that leaves the result something to say."""

import dataclasses
import re

import pytest
from small_exercises import (
    attention,
    dropout,
    edited,
    embedding,
    exercise,
    layer_norm,
    linear,
    loss,
    report,
    said,
    softmax,
)

from npformer.classroom import index as course
from npformer.classroom.diagnosis.ablation import ablated
from npformer.classroom.diagnosis.part import View
from npformer.classroom.exercise import Call
from npformer.classroom.exercise_at_seed import Case, by_call
from npformer.classroom.grade import run_here

KEEP = "weights @ v, weights"


@pytest.mark.long
@pytest.mark.parametrize(
    ("exercise", "part", "edit", "id"),
    [
        (layer_norm, "dx", ("dxhat = dy * gain", "dxhat = dy * gain * gain"), "right when gain = 1"),
        (layer_norm, "dbias", ("dy.sum((0, 1))", "dy[0].sum(0)"), "right when B = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * xhat)[:, -1].sum(0)"), "right when T = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * xhat)[0, -1]"), "right when B = 1 and T = 1"),
        (layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "(dy * dy * xhat).sum((0, 1))"), "right when dy is all ones"),
        (linear, "y", ("x @ w + b", "x @ w + b * b"), "right when bias = 0"),
        (attention, "weights", ("np.where(mask, scores, -np.inf)", "scores * mask"), "right when nothing is masked"),
        (attention, "weights", ("np.sqrt(q.shape[-1])", "1"), "right when K = 1"),
        (dropout, "dx", ("(1 - p)", "(1 - p + p * dy)"), "right when the dropout rate is 0"),
        (loss, "loss", ("(np.log(picked) * real)", "np.log(picked)"), "right when no id is padding"),
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
        assert said(exercise, part, edit, seed=seed).kind != "ablation"


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


def test_the_gradients_from_above_have_the_exercises_own_names():
    right, wrong = "(dlogits * other).sum(0) * 3 + x.sum(0)", "(dlogits**2 * other**2).sum(0) * 3 + x.sum(0)"
    body = f"def of_two(dlogits, other, x):\n    return {right}"

    def inputs(draw, B, D):
        return {"dlogits": draw.dy(B, D), "other": draw.dy(B, D), "x": draw.normal(B, D)}

    small = exercise("small", body, inputs, [Call(of_two, {"y": 1})])
    for seed in range(3):
        found = said(small, "y", (right, wrong), seed=seed)
        assert found.id == "right when dy is all ones" and "the gradients from above are all ones" in found.text
        found = said(
            dataclasses.replace(small, inputs=one_of_two), "y", (right, wrong.replace("other**2", "other")), seed=seed
        )
        assert found.text == "y is right when dlogits is all ones"


def of_two(student, dlogits, other, x):
    return student.of_two(dlogits, other, x)


def one_of_two(draw, B, D):
    return {"dlogits": draw.dy(B, D), "other": draw.normal(B, D), "x": draw.normal(B, D)}


def test_a_size_that_the_exercise_does_not_make_smaller_is_not_spoken_of():
    def inputs(draw, B, V):
        return {"x": draw.normal(B, max(V, 2)), "n": max(V, 2)}

    def summed(student, x, n):
        return student.summed(x, n)

    body = "def summed(x, n):\n    return x.sum(0) * n"
    small = exercise("small", body, inputs, [Call(summed, {"y": 1})])
    right_when_two = ("x.sum(0) * n", "x.sum(0) * (n if n < 3 else n + x[0] ** 2)")
    for seed in range(3):
        assert "V = 1" not in said(small, "y", right_when_two, seed=seed).text


def test_where_only_rounding_is_expected_nothing_is_shown():
    for seed in range(3):
        assert "all ones" not in said(softmax, "dx", ("return y * dy", "return 1.5 * np.abs(y * dy)"), seed=seed).text
        assert "all ones" not in said(softmax, "dx", ("y * dy - y", "y * dy**2 - y * dy"), seed=seed).text


def test_ids_that_repeat_all_the_same_are_not_said_not_to():
    found = said(embedding, "dtable", ("np.add.at(dtable, ids, dy)", "dtable[ids] += np.sin(dy)"))
    assert "repeats" not in found.text


def test_a_size_that_the_students_text_does_not_have_is_not_spoken_of():
    silent = tuple(dataclasses.replace(cell, text=re.sub(r"\bB\b", "Q", cell.text)) for cell in layer_norm.cells)
    without = dataclasses.replace(layer_norm, cells=silent)
    edit = ("dy.sum((0, 1))", "dy[0].sum(0)")
    assert said(layer_norm, "dbias", edit).id == "right when B = 1"
    assert "B = 1" not in said(without, "dbias", edit).id


def test_what_the_last_id_alone_would_show_is_not_told():
    last_cleared = ("dtable[0] = 0", "dtable[-1] = 0")
    for seed in range(6):
        assert "is right when" not in said(embedding, "dtable", last_cleared, seed=seed).text


def test_the_repeated_first_id_of_a_draw_is_no_reason():
    def inputs(draw, B, T, V):
        return {"ids": draw.ids(B, T + 1, vocab_size=V), "w": draw.normal(V)}

    def read(student, ids, w):
        return student.read(ids, w)

    body = "def read(ids, w):\n    return w[ids[:, :-1]]"
    small = exercise("small", body, inputs, [Call(read, {"y": 1})])
    for seed in range(3):
        assert "T = 1" not in said(small, "y", ("[:, :-1]", "[:, 1:]"), seed=seed).text


def without_facts(exercise, part, edit, seed=0):
    """Return what the simplifications alone tell of a part of the edited key."""
    case, text = Case(exercise, seed), edited(exercise, edit)
    [(call, index)] = [(c, list(c.parts).index(part)) for c in exercise.calls if part in c.parts]
    answers = by_call(case, run_here(exercise, text, case.jobs).answers)[call.name]

    def again(jobs):
        return run_here(exercise, text, jobs).answers

    return ablated(View(case, call, index, case.drawn, answers, case.expected[call.name], again))


def test_what_does_not_hold_where_another_size_is_1_is_not_told():
    some = ("e / np.where(total == 0, 1, total)", "e / np.where(total == 0, 1, total) * (mask.sum(-1) > {})[..., None]")
    for seed in range(3):
        found = without_facts(attention, "weights", (some[0], some[1].format(1)), seed)
        assert found is None or "nothing is masked" not in found.text, "with one key its row has one True alone"
    assert without_facts(attention, "weights", ("np.where(mask, scores", "np.where(scores > 9, scores")) is None


def test_one_number_on_every_draw_is_no_proof():
    def inputs(draw, N):
        steps = draw.rng.integers(2, 60, N)
        steps[-1] = 1
        return {"steps": steps, "w": draw.normal(N)}

    def rate(student, steps, w):
        return student.rate(steps, w)

    small = exercise("small", "def rate(steps, w):\n    return w * steps**-0.5", inputs, [Call(rate, {"y": 1})])
    for seed in range(3):
        assert without_facts(small, "y", ("steps**-0.5", "np.sin(1.0 / steps) / np.sin(1)"), seed) is None


def test_two_sizes_that_are_the_same_are_told():
    for seed in range(3):
        found = said(attention, "weights", ("np.sqrt(q.shape[-1])", "np.sqrt(v.shape[-1])"), seed=seed)
        assert (found.id, found.text) == ("right when F = K", "weights is right when F = K")
        assert found.question == "What changes in your lines where F and K differ, and what should?"


@pytest.mark.parametrize(
    ("id", "part", "edit", "when"),
    [
        ("layer_norm_backward", "dx", ("(dxhat * xhat).mean(-1, keepdims=True)", "{}"), "eps = 0"),
        (
            "layer_norm_backward",
            "dx",
            ("return rstd * (dxhat - along_ones", "return (rstd * dxhat - along_ones"),
            "rstd = 1",
        ),
        pytest.param(
            "adam",
            "bias after one update",
            ("m / (1 - beta1**t)", "m / (1 - beta2**t)"),
            "beta1 = beta2",
            marks=pytest.mark.long,
        ),
        pytest.param(
            "adam",
            "weight after one update",
            ("m / (1 - beta1**t)", "m / (1 - beta1) ** t"),
            "no update has gone before",
            marks=pytest.mark.long,
        ),
    ],
)
def test_constants_that_are_0_or_1_or_the_same_are_told(id, part, edit, when):
    projected = "((dxhat * xhat).sum(-1, keepdims=True) / (xhat**2).sum(-1, keepdims=True))"
    edit = (edit[0], edit[1].format(projected))
    for seed in range(3):
        found = said(course.load(id), part, edit, seed=seed)
        assert (found.kind, found.id) == ("ablation", f"right when {when}") and found.question
