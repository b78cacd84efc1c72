"""A mistake is named where it gives the student's numbers on every draw, and nowhere else."""

import dataclasses

import pytest

from npformer_course import course
from npformer_course.definition import Call, Edit, Mistake
from tests.course.diagnosis.small_exercises import (
    attention,
    edited,
    exercise,
    layer_norm,
    linear,
    report,
    said,
    softmax,
)


@pytest.mark.parametrize("mistake", layer_norm.mistakes, ids=lambda mistake: mistake.id)
def test_every_mistake_is_identified_on_other_seeds(mistake):
    for seed in range(1, 6):
        wrong = [
            p
            for p in report(layer_norm, layer_norm.mistaken(mistake), seed).parts
            if p.outcome != "right"
        ]
        assert wrong
        for part in wrong:
            assert (part.finding.kind, part.finding.id) == ("mistake", mistake.id)
            assert (part.finding.text, part.finding.question) == mistake.describe(part.name)


def test_mistake_in_different_code_style_is_identified():
    loops = """
def layer_norm_backward(dy, xhat, rstd, gain):
    dx, dgain, dbias = layer_norm_backward_slowly(dy, xhat, rstd, np.ones_like(gain))
    return dx * gain, dgain, dbias
"""
    parts = report(layer_norm, f"{layer_norm.stub}\n{loops}").parts
    assert [part.finding.id for part in parts] == ["gain_outside", "", "", ""]


@pytest.mark.parametrize("edit", ["x @ w + 1e-3", "1.001 * (x @ w)", "x @ w + 0.1 * b"])
def test_answer_close_to_a_mistake_is_not_identified_as_it(edit):
    assert said(linear, "y", ("x @ w + b", edit)).kind != "mistake"


def test_mistake_is_not_reported_for_correct_parts():
    only_y = report(linear, edited(linear, ("x @ w + b", "x @ w"))).parts
    assert [part.finding.id for part in only_y] == ["no_bias", "", "", "", ""]


def test_mistake_that_gives_nan_is_identified():
    mistake = Mistake(
        "empty", "0/0 in an empty row", Edit("np.where(total == 0, 1, total)", "total"), ask="?"
    )
    small = dataclasses.replace(attention, mistakes=(mistake,))
    found = said(small, "weights", ("e / np.where(total == 0, 1, total)", "e * (1 / total)"))
    assert (found.kind, found.id) == ("mistake", "empty")
    found = said(small, "y", ("weights @ v, weights", "np.nan * weights @ v, weights"))
    assert found.kind == "numbers"


def test_mistake_that_modifies_its_inputs_is_identified():
    mistake = Mistake("in_place", "y is changed", Edit("y * dy - y", "y * dy - y / 2"), ask="?")
    small = dataclasses.replace(softmax, mistakes=(mistake,))
    assert (
        said(small, "dx", ("return y * dy - y *", "y /= 2\n    return 2 * y * dy - y *")).id
        != "in_place"
    )
    assert (
        said(
            small,
            "dx",
            ("return y * dy - y * (y * dy)", "z = y * dy\n    y /= 2\n    return z - y * z"),
        ).id
        == "in_place"
    )


def test_swapped_results_are_reported_before_a_matching_mistake():
    findings = [
        p.finding
        for p in report(
            layer_norm,
            edited(layer_norm, ("along_xhat), dgain, dbias", "along_xhat), dbias, dgain")),
        ).parts
    ]
    assert [found.id for found in findings] == ["", "exchanged", "exchanged", ""]
    assert (
        said(layer_norm, "dgain", ("(dy * xhat).sum((0, 1))", "dy.sum((0, 1))")).id
        == "dgain_without_xhat"
    )


def test_swap_is_reported_even_if_listed_as_a_mistake():
    right, wrong = "return x.sum(0), (x * x).sum(0)", "return (x * x).sum(0), x.sum(0)"
    mistake = Mistake("swapped", "the wrong way round", Edit(right, wrong), ask="?")
    sums = exercise(
        "sums",
        f"def sums(x):\n    {right}",
        lambda draw, B, D: {"x": draw.normal(B, D)},
        [Call(sums_of, {"sums": 1, "squares": 1})],
    )
    assert said(sums, "squares", (right, wrong)).id == "exchanged"
    assert (
        said(dataclasses.replace(sums, mistakes=(mistake,)), "squares", (right, wrong)).id
        == "swapped"
    )


def test_swap_with_zeros_is_not_reported():
    right, wrong = "return x.sum(0), 0 * x.sum(0)", "return 0 * x.sum(0), x.sum(0)"
    calls = [Call(sums_of, {"sums": 1, "zeros": 1})]
    small = exercise(
        "zeros", f"def sums(x):\n    {right}", lambda draw, B, D: {"x": draw.normal(B, D)}, calls
    )
    assert said(small, "sums", (right, wrong)).id == "zeros"


def sums_of(student, x):
    return student.sums(x)


HALVES = (
    ("dw = np.einsum", "dw = 2 * np.einsum"),
    ("db = dy.sum((0, 1))", "db = 2 * dy.sum((0, 1))"),
)
DOUBLED = tuple(Edit(*edit) for edit in HALVES)


def test_finding_about_several_results_must_hold_for_all():
    mistake = Mistake("doubled", "dw and db are twice what they should be", *DOUBLED, ask="?")
    small = dataclasses.replace(linear, mistakes=(mistake,))
    both = {part.name: part.finding.id for part in report(small, edited(small, *HALVES)).parts}
    assert (both["dw"], both["db"]) == ("doubled", "doubled")
    found = said(small, "db", HALVES[1])
    assert (found.kind, found.id) == ("fact", "factor 2") and "dw" not in found.text
    assert said(small, "db", ("dw = np.einsum", "dw = 3 * np.einsum"), HALVES[1]).id == "factor 2"


def test_question_names_incorrect_part_that_result_depends_on():
    found = said(course.load("masks"), "target_mask", ("ids != pad_id", "ids > pad_id + 2"))
    assert (
        found.kind == "numbers"
        and "also computes padding_mask, which is not right" in found.question
    )
    edits = (
        ("keep / (1 - self.p)", "1.0 * keep"),
        ("np.ones_like(x)", "np.full(x.shape, 1 - self.p)"),
    )
    found = said(course.load("dropout"), "dx in training, then eval mode", *edits)  # no y is in it
    assert found.kind == "numbers" and "also computes" not in found.question


@pytest.mark.parametrize(
    ("edit", "part", "origin"),
    [
        (("matrix_gradient(x, dk)", "np.sin(matrix_gradient(x, dk))"), "dw_key", "dw_key"),
        (("dq @ w_query.T", "np.sin(dq) @ w_query.T"), "dx", "dx"),
    ],
)
def test_wrong_part_below_is_the_one_of_the_same_name(edit, part, origin):
    found = said(course.load("multi_head_backward"), part, edit)
    assert f"also computes projections: {origin}, which is not right" in found.question


def test_other_result_of_the_call_is_no_reason():
    edits = (
        ("    dx = dq @ w_query.T", "    dw_key = np.sin(dw_key)\n    dx = dq @ w_query.T"),
        ("heads, w_output)\n    dq", "heads, w_output)\n    dw_output = np.sin(dw_output)\n    dq"),
    )
    found = said(course.load("multi_head_backward"), "dw_output", *edits)
    # the wrong dw_key of the projections is the reason for dw_key, not for dw_output
    assert found.kind == "numbers" and "also computes" not in found.question
