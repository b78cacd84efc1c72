"""Facts about wrong numbers: each appears where it holds, and not where it nearly does."""

import dataclasses
import re

import pytest

from npformer_course import course
from npformer_course.definition import Call
from tests.course.diagnosis.small_exercises import (
    attention,
    dropout,
    edited,
    exercise,
    layer_norm,
    linear,
    loss,
    report,
    said,
    softmax,
)

DB, DX = "dy.sum((0, 1))", "return rstd * ("
KEEP = "weights @ v, weights"

SAID = [  # one of each kind; tests/testing has the others
    (
        loss,
        "loss",
        (" / real.sum()", ""),
        "factor the number of real tokens",
        "a factor the number of real tokens",
    ),
    (layer_norm, "dx", (DX, "return gain * rstd * ("), "times gain", "is the right one times gain"),
    (softmax, "dx", ("y * dy - y * (", "dy - ("), "divided by y", "is the right one divided by y"),
    (
        softmax,
        "dx",
        ("sum(-1", "mean(-1"),
        "term: the sum over the row has a factor 1/D",
        "too many",
    ),
    (
        softmax,
        "dx",
        (" - y * (y * dy).sum(-1, keepdims=True)", ""),
        "term: the sum over the row is missing",
        "",
    ),
    (linear, "dx", ("dy @ w.T", "x"), "is x", "is x, unchanged"),
    (linear, "dx", ("dy @ w.T", "dy @ w.T - x"), "minus x", "is the right one minus x"),
    (layer_norm, "dx", (DX, "return np.sin(rstd) * ("), "row factor", "of its own in each row"),
    (
        attention,
        "weights",
        (KEEP, f"{KEEP[:13]}np.where(mask, weights, 0.1)"),
        "only where the mask is False",
        "is",
    ),
]
ANY_BUT_THE_FIRST = (
    "1 + int(99 * abs(dy[0, 0, 0])) % (dy.shape[-1] - 1)"  # true of it, and no matter of place
)
NOT_SAID = [
    (
        layer_norm,
        "dx",
        (DX, f"return (np.arange(dy.shape[-1]) != {ANY_BUT_THE_FIRST}) * rstd * ("),
        "only after",
    ),
    (layer_norm, "dx", (DX, "return np.sin(dy) * rstd * ("), "row factor"),
    (linear, "db", (DB, f"{DB} / dy.shape[0] + 1e-3"), "factor"),
    (dropout, "dx", (" / (1 - p)", " / (1 - p * np.abs(dy))"), "only where the mask is True"),
]


@pytest.mark.parametrize(
    ("exercise", "part", "edit", "id", "text"), SAID, ids=[f"{row[1]} {row[3]}" for row in SAID]
)
def test_fact_is_reported_on_every_seed(exercise, part, edit, id, text):
    for seed in range(3):
        found = said(exercise, part, edit, seed=seed)
        assert found.kind == "fact" and found.question
        assert (
            found.id.startswith(id or "")
            and text in found.text
            and found.text.startswith(f"{part} ")
        )


@pytest.mark.parametrize(
    ("exercise", "part", "edit", "id"), NOT_SAID, ids=[f"{row[1]} {row[3]}" for row in NOT_SAID]
)
def test_fact_that_almost_holds_is_not_reported(exercise, part, edit, id):
    for seed in range(3):
        assert not said(exercise, part, edit, seed=seed).id.startswith(id)


@pytest.mark.long
def test_concatenated_values_are_reported_without_flat_index():
    edit = ("    return loss\n", "    model.parameters()[-1].data[-1] += 1\n    return loss\n")
    for seed in range(2):
        found = said(course.load("training_step"), "parameters, not clipped", edit, seed=seed)
        assert "index" not in found.text
        assert re.search(
            r" has \S+, expected \S+ at \[\d(, \d)?\] of the (table|weight|bias); ", found.text
        )
    edit = ("    return loss\n", "    return np.sin(loss) + (optimizer.t > 1)\n")
    [part] = [
        p
        for p in report(
            course.load("training_step"), edited(course.load("training_step"), edit)
        ).parts
        if p.name == "losses"
    ]
    assert part.numbers.startswith("before the ") and "[" not in part.numbers


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("rstd * (dxhat - xhat * along_xhat)", "which of them have you followed"),
        (
            "rstd * (dxhat - 2 * along_ones - xhat * along_xhat)",
            "How often does the formula have this term",
        ),
        ("rstd * (dxhat + along_ones - xhat * along_xhat)", "Which sign"),
        (
            "rstd * (dxhat - along_ones - xhat * along_xhat / gain.size)",
            "By what is this term multiplied",
        ),
    ],
)
def test_question_about_term_matches_its_error(wrong, words):
    small = dataclasses.replace(layer_norm, mistakes=())
    found = said(small, "dx", ("rstd * (dxhat - along_ones - xhat * along_xhat)", wrong))
    assert found.id.startswith("term") and words in found.question


def test_scattered_errors_are_not_reported_as_localized():
    def counted(student, x):
        return student.counted(x)

    body = "def counted(x):\n    return np.where(x.sum(-1) > 2, 9, 0.1) * np.cos(x[:, 0])"
    small = exercise("small", body, numbers, [Call(counted, {"y": 1})])
    for seed in (3, 8, 12, 15, 25, 26, 27, 33):
        assert said(small, "y", ("> 2, 9", "> 2, 0.1"), seed=seed).kind == "numbers"


def numbers(draw, B, D):
    return {"x": draw.normal(B, D)}


CASES = ("near it", "above it", "below it", "far above it", "far below it")


def limit_inputs(draw, N):
    return {"limit": draw.uniform(1, 2)}


def over(student, limit):
    return [student.over(limit + step, limit) for step in (0.01, 0.5, -0.5, 9.0, -9.0)]


@pytest.mark.parametrize(
    ("answer", "said_of_cases"),
    [
        ("False", "is wrong wherever True is expected, and right wherever False is"),
        ("x > limit + 0.1", "is wrong only near it"),
        ("x > limit or x < limit - 1", "is wrong only far below it"),
        ("limit - 1 < x < limit or x > limit + 1", "is right only far above it and far below it"),
    ],
)
def test_many_cases_are_said_in_few_words(answer, said_of_cases):
    body = "def over(x, limit):\n    return x > limit"
    small = exercise("over", body, limit_inputs, [Call(over, {"over": 1})], axes={"over": CASES})
    found = said(small, "over", ("return x > limit", f"return {answer}"))
    assert found.text == f"over {said_of_cases}"


def over_four(student, limit):
    return over(student, limit)[:4]


def test_few_cases_are_said_whole():
    body = "def over(x, limit):\n    return x > limit"
    calls = [Call(over_four, {"over": 1})]
    small = exercise("over", body, limit_inputs, calls, axes={"over": CASES[:4]})
    found = said(small, "over", ("return x > limit", "return x > limit + 0.1"))
    assert found.text == "over is right above it, below it and far above it, and wrong near it"
